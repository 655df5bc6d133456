"""Benches of what is served."""
