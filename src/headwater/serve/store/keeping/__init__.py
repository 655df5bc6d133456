"""Keep the store: follow timelines by their deltas, load what is new, verify and mend."""
