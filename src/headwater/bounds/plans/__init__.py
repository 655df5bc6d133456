"""Bounded plans: the search for one, what it may read, and running it on an ordered store."""
