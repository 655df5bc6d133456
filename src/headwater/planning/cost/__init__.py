"""Seconds and dollars of a plan, and who pays them."""
