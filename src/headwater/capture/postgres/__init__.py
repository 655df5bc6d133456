"""PostgreSQL as a source: a consistent snapshot, then its logical replication stream, exactly once."""
