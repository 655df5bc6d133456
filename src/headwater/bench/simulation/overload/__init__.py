"""An update stream fed faster than its views can take, without Spark: promises must be kept all the same."""
