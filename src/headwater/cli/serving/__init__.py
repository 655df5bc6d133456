"""Commands that let others read: `serve`, `changes`, `key`."""
