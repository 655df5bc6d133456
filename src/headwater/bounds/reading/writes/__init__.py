"""INSERT, UPDATE and DELETE: what they read, and what happens besides when they run."""
