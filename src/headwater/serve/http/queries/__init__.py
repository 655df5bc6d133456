"""Declared queries over HTTP: asked by their route or by the short way, answered alike, counted."""
