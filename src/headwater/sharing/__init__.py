"""Sharings: how long a push takes, when it is due, and what it costs. Pure decisions."""
