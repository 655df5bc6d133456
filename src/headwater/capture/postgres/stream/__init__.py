"""The replication stream: messages decoded, applied to tables in pieces of bounded size, committed in
stretches."""
