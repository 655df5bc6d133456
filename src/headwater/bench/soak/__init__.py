"""`headwater bench soak`: the shop under load for an hour, and whether anything grows that should not."""
