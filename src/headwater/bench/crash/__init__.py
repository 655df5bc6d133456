"""`headwater bench crash`: processes and disks fail; nothing may be lost, doubled or wrong."""
