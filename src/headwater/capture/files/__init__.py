"""Folders as sources."""
