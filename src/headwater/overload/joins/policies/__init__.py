"""Who gets the CPU: the paper's policies, the exact optimum, and what to do when nothing suffices."""
