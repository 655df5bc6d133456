"""Which grouped views share partial aggregates, and the stages that then run."""
