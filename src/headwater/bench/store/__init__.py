"""Experiments on the store of queries."""
