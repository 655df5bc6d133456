"""A push of a stage that chooses, when not everything may be shown: queries, and the push that runs them."""
