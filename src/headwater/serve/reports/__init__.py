"""What was kept and what it cost: status, staleness, the bill."""
