"""Delta tables through their logs: snapshots, commits, statistics, data files."""
