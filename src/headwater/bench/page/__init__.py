"""What open pages cost the server: a project as a run keeps it, without Spark, and pages as they ask."""
