"""What stages that choose may take in a push: each says what it needs, one controller divides."""
