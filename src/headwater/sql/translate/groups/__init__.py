"""GROUP BY, aggregates and time windows."""
