"""Decisions as JSON and as a picture."""
