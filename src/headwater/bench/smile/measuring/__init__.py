"""One measured run, and what it was like."""
