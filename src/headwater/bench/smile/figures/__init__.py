"""Pictures of runs, plans and sweeps."""
