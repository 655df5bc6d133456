"""What Spark does not have, written as what it has: see in_spark."""
