"""The queue itself: what it remembers of each key, and which key is served next."""
