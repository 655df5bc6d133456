"""What stays bounded as data grows: levels, bounds and advice for parameterised queries (PIQL)."""
