"""From outside into the timelines of sources."""
