"""Commands about what comes in: `ingest`, `capture`, `dead-letters`."""
