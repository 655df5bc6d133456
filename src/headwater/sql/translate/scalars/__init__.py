"""Scalar expressions of a SELECT, with their types."""
