"""How long `headwater plan` takes: 25 sharings on six sites, 100 views of SQL, 1,000 windows to weave."""
