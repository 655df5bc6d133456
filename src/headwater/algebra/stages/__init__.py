"""A view as it is kept: plans cut at aggregates, and what an aggregate must remember."""
