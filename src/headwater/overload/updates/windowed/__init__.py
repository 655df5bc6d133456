"""Windowed queries over update streams, lazy and eager."""
