"""The law `view(old) + delta == view(new)`, tried on random views and changes in plain Python."""

from headwater.bench.laws.running import Failure, Outcome, run

__all__ = ["Failure", "Outcome", "run"]
