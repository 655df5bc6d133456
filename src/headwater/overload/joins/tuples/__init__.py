"""Real tuples through a plan: the simulator."""
