"""Projects kept on the shared Spark, and Spark servers."""
