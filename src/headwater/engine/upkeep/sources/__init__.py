"""What a run looks after in sources when it starts."""
