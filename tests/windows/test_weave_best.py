"""`best` is no worse than any of the thirteen, knows capacities, and keeps its bound on the total."""

from __future__ import annotations

from random import Random

import pytest

from headwater.bench.weave.workloads import Setting, generate
from headwater.planning.windows import CostModel, Node, Objective, Query, Workload, plan
from headwater.planning.windows.optimizers import OPTIMIZERS

SETTINGS = [
    Setting(queries, nodes, rate, largest, skew, overlap, diverse)
    for queries, nodes, rate, largest, skew, overlap, diverse in [
        (60, 4, 10.0, 25, 0, 10, False),
        (80, 8, 100.0, 25, 1, 100, False),
        (60, 4, 100.0, 50, 1, 10, True),
        (90, 16, 10.0, 50, 0, 100, True),
    ]
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_best_is_at_least_as_good_as_all_thirteen(setting: Setting) -> None:
    asked = generate(setting, 1)
    thirteen = {name: plan(asked, name, seed=1) for name in OPTIMIZERS}
    cheap = plan(asked, objective=Objective.TOTAL, seed=1)
    level = plan(asked, objective=Objective.BALANCED, seed=1)
    assert cheap.total_cost <= min(made.total_cost for made in thirteen.values()) * (1 + 1e-9)
    assert level.max_cost <= min(made.max_cost for made in thirteen.values()) * (1 + 1e-9)
    assert level.total_cost <= thirteen["wg-i"].total_cost * (1 + 1e-9)
    for made in (cheap, level):
        assert sorted(q.id for t in made.trees() for q in t.queries) == sorted(q.id for q in asked.queries)


def test_capacities_draw_load() -> None:
    random = Random(4)
    queries = tuple(Query(f"q{n}", s * 20, s) for n, s in enumerate(random.choices(range(2, 20), k=80)))
    nodes = (Node("small", 1.0), Node("large", 4.0))
    made = plan(Workload(CostModel(5.0), nodes, queries))
    small, large = made.nodes
    assert large.cost > 2 * small.cost
    assert max(small.load, large.load) < 1.3 * min(small.load, large.load)


def test_many_different_windows_are_planned_coarsely() -> None:
    random = Random(5)
    slides = [random.randint(1, 300) for _ in range(400)]
    queries = tuple(Query(f"q{n}", s * random.randint(1, 9), s) for n, s in enumerate(slides))
    asked = Workload(CostModel(100.0), tuple(Node(f"n{n}") for n in range(8)), queries)
    made = plan(asked)
    assert sorted(q.id for t in made.trees() for q in t.queries) == sorted(q.id for q in queries)
    assert made.total_cost < plan(asked, "g-tl").total_cost / 5
    assert made.max_load < 2 * made.total_cost / 8
