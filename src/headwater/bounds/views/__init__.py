"""Which view or index would make a query bounded, and what it costs to keep."""
