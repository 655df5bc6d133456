"""A join plan under unit-time cost: streams, states, paths, allocations; problems read from JSON."""
