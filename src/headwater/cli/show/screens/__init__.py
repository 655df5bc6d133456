"""Screens that change while one looks at them."""
