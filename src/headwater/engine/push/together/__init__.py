"""Several stages in one run of Spark: united, and computed before those that they read are written."""
