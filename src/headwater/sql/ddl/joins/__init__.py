"""Window joins: what WINDOW and TOLERANCE say, the tree of a join, what an adapted one shows as SQL."""
