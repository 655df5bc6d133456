"""Tables whose updates are chosen among: what waits of them, and the record of what was chosen."""
