"""What is stored, what it is for, and the removal of what nobody needs."""
