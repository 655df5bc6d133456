"""An adapted join whose load rises many times over, without Spark: all promises must be kept."""
