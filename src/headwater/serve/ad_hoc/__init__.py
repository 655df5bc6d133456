"""Ad hoc SQL over views and sources, answered by DuckDB from their Parquet files."""
