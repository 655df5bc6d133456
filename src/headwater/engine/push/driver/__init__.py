"""Small deltas of woven views that the driver merges itself, without Spark."""
