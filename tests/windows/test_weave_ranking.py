"""Operations that are counted on a stream, beside the paper's model of them."""

from __future__ import annotations

from pathlib import Path

from headwater.bench.weave.execution.optimizers import (
    counted_operations,
    model_operations,
    ranked,
    ranks_alike,
)
from headwater.bench.weave.execution.quotes import generated
from headwater.planning.windows import Query

STREAM = generated(rate=400, seconds=20, batches=6, removed=0.0)
QUERIES = (Query("q0", 6, 2), Query("q1", 8, 4), Query("q2", 12, 3), Query("q3", 20, 5), Query("q4", 24, 4))


def test_operations_are_within_five_percent_of_the_model_where_ranges_are_multiples(tmp_path: Path) -> None:
    for run in ranked(str(tmp_path), QUERIES, STREAM, ("best", "w-rr", "wg-tn", "g-rr")):
        assert run.trees >= 1
        assert abs(run.counted / run.model - 1) < 0.05, run


def test_paired_windows_are_counted_as_they_are() -> None:
    """A fragment lies in three windows of 7 s every 3 s, or in two: the model takes the larger for all."""
    edges = ((0, 3_000_000), (1_000_000, 3_000_000))
    query = Query("q", 7, 3)
    trees = {edges: [query]}
    model = model_operations(trees, STREAM.rate, STREAM.symbols)
    counted = counted_operations(trees, STREAM)
    assert counted < model
    assert counted - STREAM.rate > 0.8 * (model - STREAM.rate)


def test_ranks() -> None:
    assert ranks_alike([1, 2, 3, 4], [10, 20, 30, 40]) == 1.0
    assert round(ranks_alike([1, 2, 3, 4], [4, 3, 2, 1]), 9) == -1.0
    assert 0.9 < ranks_alike([1, 2, 2, 4], [1, 2, 3, 4]) < 1.0
