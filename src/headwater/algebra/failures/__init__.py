"""Expressions that can fail: which ones, and for which rows."""
