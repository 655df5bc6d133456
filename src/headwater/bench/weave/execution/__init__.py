"""`headwater bench weave --execute`: woven views as they run, beside separate views, Spark and DuckDB."""
