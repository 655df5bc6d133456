"""From sqlglot's scalar expressions to ours: operators, functions by what they depend on, parameters."""
