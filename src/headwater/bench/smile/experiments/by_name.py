"""The experiments by name.  Each takes a Bench, makes runs, and answers with tables, plots and JSON.

Durations and sizes come from the options, so that every experiment can be run in minutes; the paper's
measurements are printed beside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headwater.bench.smile.experiments.answers import Answer, Bench
from headwater.bench.smile.experiments.behaviour import load, tuples
from headwater.bench.smile.experiments.capacity import highest, machines
from headwater.bench.smile.experiments.gowalla import gowalla
from headwater.bench.smile.experiments.pages import pages
from headwater.bench.smile.experiments.plans import plans
from headwater.bench.smile.experiments.single import compare, run
from headwater.bench.smile.experiments.sweeps import rate, sla
from headwater.errors import InputError, did_you_mean

__all__ = ["EXPERIMENTS", "experiment"]

Experiment = Callable[[Bench], Sequence[Answer]]

EXPERIMENTS: dict[str, Experiment] = {
    "run": run,
    "compare": compare,
    "pages": pages,
    "rate": rate,
    "sla": sla,
    "tuples": tuples,
    "machines": machines,
    "load": load,
    "highest": highest,
    "plans": plans,
    "gowalla": gowalla,
    "all": lambda bench: all_of_them(bench),
}
ALL = ("plans", "run", "compare", "pages", "rate", "sla", "tuples", "load", "machines", "highest")


def all_of_them(bench: Bench) -> Sequence[Answer]:
    """All experiments in turn; filled projects are reused."""
    return [answer for name in ALL for answer in EXPERIMENTS[name](bench)]


def experiment(name: str) -> Experiment:
    """The experiment of that name."""
    if name not in EXPERIMENTS:
        raise InputError(
            "HW419",
            f'there is no experiment "{name}"',
            detail=f"There are: {', '.join(EXPERIMENTS)}.",
            hint=did_you_mean(name, EXPERIMENTS),
        )
    return EXPERIMENTS[name]
