"""What views share, where, at what price, and whether their promises can be kept (SMILE, WeaveShare)."""
