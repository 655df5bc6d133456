"""From the graph to what runs: stages, and the actions of a push."""
