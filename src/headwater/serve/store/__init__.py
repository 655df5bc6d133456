"""The store: declared queries, answered from key-ordered storage in the work that `check` promised."""
