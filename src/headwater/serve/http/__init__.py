"""The HTTP server: views, their changes, queries and the state of a project, as JSON. No Spark, no SQL."""
