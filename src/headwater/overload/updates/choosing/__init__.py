"""Choosing among updates as pushes do it: what waits as a Z-set, a policy as an order of its keys."""
