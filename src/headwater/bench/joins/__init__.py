"""Join adaptation's experiments: the paper's Figures 6 to 9 with real tuples, and the optimizer's time."""

from headwater.bench.joins.run import run_bench

__all__ = ["run_bench"]
