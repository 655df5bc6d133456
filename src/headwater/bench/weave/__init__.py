"""The weaving paper's experiments again: every optimizer on every workload of its Table 2."""
