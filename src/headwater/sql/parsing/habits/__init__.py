"""What people type out of habit, and what to write instead."""
