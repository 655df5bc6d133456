"""Real tuples through a join plan."""
