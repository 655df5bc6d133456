"""The paper's workloads: its seven parameters, its 256 combinations, and the generator.

Where the paper leaves room: the overlap of a query is an integer drawn uniformly from 1 to the maximum, and
its range is that many slides, as the overlap factor is a count of windows.  Zipf skew 1 gives the k-th
largest slide a weight of 1 / k ("skewed towards large slides"), skew 0 gives all the same weight.  Diverse
workloads draw from the primes only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from headwater.planning.windows import CostModel, Node, Query, Workload
from headwater.planning.windows.residues import factor

__all__ = ["EXPERIMENT_2", "Setting", "generate", "quick_settings", "table_2"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the search space: Q, N, lambda, S_max, Z_skew, Omega_max, Gen."""

    queries: int
    nodes: int
    rate: float
    largest_slide: int
    skew: int
    largest_overlap: int
    diverse: bool


EXPERIMENT_2 = Setting(250, 4, 100.0, 25, 1, 100, False)


def table_2() -> Iterator[Setting]:
    """All 256 combinations."""
    space = product((250, 500), (4, 8, 16, 32), (10.0, 100.0), (25, 50), (0, 1), (10, 100), (False, True))
    return (Setting(*values) for values in space)


def quick_settings() -> Iterator[Setting]:
    """A handful of small combinations, for a look in seconds."""
    space = product((60,), (4,), (10.0, 100.0), (25,), (0,), (10,), (False, True))
    return (Setting(*values) for values in space)


def generate(setting: Setting, seed: int) -> Workload:
    """A workload of the setting; the same seed gives the same workload."""
    random = Random(f"{setting} {seed}")
    slides = [slide for slide in range(1, setting.largest_slide + 1) if not setting.diverse or _prime(slide)]
    weights = [1 / (len(slides) - at) ** setting.skew for at in range(len(slides))]
    queries = []
    for number, slide in enumerate(random.choices(slides, weights, k=setting.queries)):
        overlap = random.randint(1, setting.largest_overlap)
        queries.append(Query(f"q{number}", slide * overlap, slide))
    nodes = tuple(Node(f"n{number}") for number in range(1, setting.nodes + 1))
    return Workload(CostModel(setting.rate), nodes, tuple(queries))


def _prime(number: int) -> bool:
    return factor(number) == ((number, 1),)
