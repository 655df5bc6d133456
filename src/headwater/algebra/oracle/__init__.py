"""Plans evaluated in plain Python: what delta rules and Spark are held against."""
