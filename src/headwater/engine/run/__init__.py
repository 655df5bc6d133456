"""A run from start to stop: what is due, pushed together; audited; reloaded."""
