"""The experiments of the SMILE paper."""
