"""now() in plans: the time that a view is as of, and what changes as it passes."""
