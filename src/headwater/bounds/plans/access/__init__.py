"""How one source can be read with a number of operations that does not grow with the data."""
