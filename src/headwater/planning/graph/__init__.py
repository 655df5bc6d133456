"""A plan as a graph of relations and deltas at sites, with operators between them."""
