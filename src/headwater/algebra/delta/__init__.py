"""From a plan that computes a relation to the plan that computes its change."""
