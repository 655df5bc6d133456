"""Plans as SQL text, and which files they read."""
