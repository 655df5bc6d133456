"""How commands show their answers."""
