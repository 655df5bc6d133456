"""Annotated and random queries whose bounds are checked."""
