"""Storage: Delta tables committed with delta-rs and small Arrow segments; no Spark and no JVM.

Spark (in `engine/`) writes Parquet and reads lists of files; what a table *is* at any moment is decided
here, by its Delta log alone.
"""
