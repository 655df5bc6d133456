"""Processes that are killed between any two writes: the file system, the processes, what must hold afterwards."""
