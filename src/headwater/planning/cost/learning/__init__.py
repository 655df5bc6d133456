"""What pushes teach of their costs."""
