"""Experiments with update streams: the paper's figures, the marks we set, and real quotes."""
