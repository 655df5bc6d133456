"""Small records: what was pushed and audited, what may be removed, who holds the lock."""
