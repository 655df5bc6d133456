"""Views as joins of filtered inputs, in canonical names; when one contains another."""
