"""A push against a recompute."""
