"""Adapted joins on Spark, with real tuples."""
