"""The cheapest plan of one view that keeps its promise, or the proof that there is none."""
