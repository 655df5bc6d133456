"""Logical plans over Z-sets: nodes, how to walk them, what makes one well formed."""
