"""The law `view(old) + delta == view(new)`, tried on random views and changes in plain Python."""
