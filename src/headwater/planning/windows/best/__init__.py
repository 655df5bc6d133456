"""`best`: the plans of the paper's optimizers made better, for nodes of different capacity."""
