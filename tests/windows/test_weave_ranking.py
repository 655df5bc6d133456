"""Operations that are counted on a stream, beside the paper's model of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.bench.weave.execution.optimizers import (
    Ranked,
    correlations,
    counted_operations,
    furthest_off,
    members_of,
    model_operations,
    ranks_alike,
)
from headwater.bench.weave.execution.quotes import generated
from headwater.bench.weave.execution.views import window_project
from headwater.catalog import build
from headwater.model import Weaving
from headwater.planning.windows import Query
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.warehouse import Warehouse

STREAM = generated(rate=400, seconds=20, batches=6, removed=0.0)
QUERIES = (Query("q0", 6, 2), Query("q1", 8, 4), Query("q2", 12, 3), Query("q3", 20, 5), Query("q4", 24, 4))


@pytest.mark.parametrize("optimizer", ["best", "w-rr", "wg-tn", "g-rr"])
def test_operations_are_within_five_percent_of_the_model_where_ranges_are_multiples(
    optimizer: str, tmp_path: Path
) -> None:
    project = window_project(str(tmp_path), QUERIES, STREAM, Weaving(optimizer, always=True))
    trees = members_of(shared_catalog(build(project), Warehouse(str(tmp_path))), QUERIES)
    model = model_operations(trees, STREAM.rate, STREAM.symbols)
    counted = counted_operations(trees, STREAM)
    assert trees
    assert abs(counted / model - 1) < 0.05
    plan = Ranked(optimizer, len(trees), model, counted, 1.0, 1.0)
    assert furthest_off([plan, Ranked("other", 1, 100.0, 80.0, 1.0, 1.0)]) == pytest.approx(0.2)


def test_what_was_measured_is_ranked_beside_the_model() -> None:
    plans = [Ranked(str(n), n, float(n), 2.0 * n, 10.0 - n, float(n)) for n in range(1, 6)]
    assert correlations(plans) == pytest.approx({"counted": 1.0, "spark": -1.0, "duckdb": 1.0})


def test_paired_windows_are_counted_as_they_are() -> None:
    """A fragment lies in three windows of 7 s every 3 s, or in two: the model takes the larger for all."""
    edges = ((0, 3_000_000), (1_000_000, 3_000_000))
    query = Query("q", 7, 3)
    trees = [(edges, [query])]
    model = model_operations(trees, STREAM.rate, STREAM.symbols)
    counted = counted_operations(trees, STREAM)
    assert counted < model
    assert counted - STREAM.rate > 0.8 * (model - STREAM.rate)


def test_ranks() -> None:
    assert ranks_alike([1, 2, 3, 4], [10, 20, 30, 40]) == 1.0
    assert round(ranks_alike([1, 2, 3, 4], [4, 3, 2, 1]), 9) == -1.0
    assert 0.9 < ranks_alike([1, 2, 2, 4], [1, 2, 3, 4]) < 1.0
