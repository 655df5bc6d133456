"""Random queries, and DuckDB as a third opinion."""
