"""Views over shared parts: fragments of time, or finer groups, that several of them merge."""
