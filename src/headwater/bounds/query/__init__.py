"""A query as the optimizer sees it, and what the declared constraints say about it."""
