"""How long a push is expected to take, asked before it starts."""
