"""Experiments with the store of bounded queries."""
