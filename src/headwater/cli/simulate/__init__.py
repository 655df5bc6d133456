"""`headwater simulate ...`."""
