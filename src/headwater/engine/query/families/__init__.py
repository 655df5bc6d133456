"""What families read: the stored states of their members, brought together."""
