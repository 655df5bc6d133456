"""Monitor, decide again when something drifted, act when it pays."""
