"""When a row makes an action fail: what is tried next, which stages stay behind, and which row it was."""
