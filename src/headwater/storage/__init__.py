"""Storage: Delta tables read and committed through their logs; no Spark and no JVM.

Spark (in `engine/`) writes Parquet and reads lists of files; what a table *is* at any moment is decided here,
by its Delta log alone.
"""
