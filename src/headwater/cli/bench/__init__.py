"""`headwater bench ...`, one file per experiment."""
