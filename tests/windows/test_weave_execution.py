"""What `headwater bench weave --execute` rests on, without Spark: its stream, its measure, its limit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from headwater.algebra.stages.stage import Kept
from headwater.bench.weave.execution.answers import Check, by_definition, wrong
from headwater.bench.weave.execution.duckdb_limit import DuckLimit
from headwater.bench.weave.execution.figure import draw
from headwater.bench.weave.execution.optimizers import members_of
from headwater.bench.weave.execution.outcome import (
    DUCKDB,
    SEPARATE,
    WOVEN,
    Contender,
    Measured,
    extrapolated,
    fields,
)
from headwater.bench.weave.execution.quotes import generated, recorded
from headwater.bench.weave.execution.views import placed, sample, window_project, window_views
from headwater.catalog import build
from headwater.model import Weaving
from headwater.planning.windows import Query
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

STREAM = generated(rate=20, seconds=10, batches=4, removed=0.2)
QUERIES = (Query("q0", 6, 2), Query("q1", 8, 4), Query("q2", 7, 3))


def test_a_stream_deletes_and_updates_each_row_at_most_once() -> None:
    gone = [change["id"] for batch in STREAM.batches for change in batch.to_pylist() if change[WEIGHT] < 0]
    assert len(gone) == len(set(gone)) == 3 * 40
    rows = STREAM.after(4)
    assert len(rows) == 4 * 200 - 3 * 20  # a half of what goes comes back with another price
    assert pc.sum(pa.concat_tables(STREAM.batches)[WEIGHT]).as_py() == len(rows)
    assert len(pc.unique(rows["id"])) == len(rows)


def test_recorded_quotes_change_once_however_many_come_in_a_batch(tmp_path: Path) -> None:
    """Quotes are not as many in every minute; a row of a batch before the last may be gone already."""
    opening = 34_200_000
    instants = [
        opening + at
        for batch, count in enumerate((200, 40, 400, 30))
        for at in range(10_000 * batch, 10_000 * batch + count)
    ]
    file = tmp_path / "quotes.csv"
    lines = (f"{'AB'[at % 2]},{at},{10_000 + at % 977}" for at in instants)
    file.write_text("symbol,ms_since_midnight,bid_x10000\n" + "\n".join(lines) + "\n")
    stream = recorded(str(file), 10, 4, removed=0.5)
    assert [len(stream.after(pushes)) for pushes in range(5)] == [0, 200, 190, 580, 510]
    gone = [change["id"] for batch in stream.batches for change in batch.to_pylist() if change[WEIGHT] < 0]
    assert len(gone) == len(set(gone)) == 100 + 20 + 200
    came = pa.concat_tables(stream.batches)
    assert pc.sum(came[WEIGHT]).as_py() == len(stream.after(4))


def test_answers_that_differ_in_one_row_are_wrong() -> None:
    right = by_definition(STREAM.after(2), QUERIES)
    assert wrong(right, right) == ()
    assert wrong(right | {"q1": right["q1"].slice(1)}, right) == ("q1",)
    assert wrong(right | {"q1": pa.concat_tables([right["q1"], right["q1"].slice(0, 1)])}, right) == ("q1",)


def test_a_row_lies_in_every_window_that_holds_its_time() -> None:
    rows = STREAM.after(1).slice(0, 1)
    at = rows["quoted_at"].cast(pa.int64())[0].as_py()
    starts = by_definition(rows, QUERIES)["q0"]["start"].to_pylist()
    assert sorted(starts) == [
        start * 2_000_000
        for start in range(at // 2_000_000 - 5, at // 2_000_000 + 2)
        if start * 2_000_000 <= at < start * 2_000_000 + 6_000_000
    ]


def test_the_limit_by_hand_is_right_after_every_push(tmp_path: Path) -> None:
    project = window_project(str(tmp_path), QUERIES, STREAM, Weaving("best", always=True))
    catalog = shared_catalog(build(project), Warehouse(str(tmp_path)))
    trees: list[Kept] = [catalog.shared[tree] for tree in sorted(catalog.shared)]
    limit = DuckLimit(QUERIES, trees, catalog.kept)
    for number, batch in enumerate(STREAM.batches):
        limit.push(batch)
        expected = by_definition(STREAM.after(number + 1), QUERIES)
        assert wrong({view: limit.answer(view) for view in expected}, expected) == ()


def test_at_several_sites_each_keeps_the_views_that_the_optimizer_gives_it(tmp_path: Path) -> None:
    queries = window_views(24)
    project = window_project(str(tmp_path), queries, STREAM, Weaving("wg-i", always=True), sites=3)
    catalog = shared_catalog(build(project), Warehouse(str(tmp_path)))
    places = placed(queries, STREAM, "wg-i", 3)
    assert {catalog.site_of(query.id) for query in queries} == {"default", "site2", "site3"}
    assert all(catalog.site_of(query.id) == places[query.id] for query in queries)
    for query in queries:
        (tree,) = catalog.kept[query.id].stages[-1].reads
        assert catalog.site_of(tree) == places[query.id], "a tree lies where its views do"
    assert set(catalog.copies) == {"quotes@site2", "quotes@site3"}
    assert sum(len(members) for _, members in members_of(catalog, queries)) == 24


def test_a_sample_has_the_overlap_of_all() -> None:
    queries = window_views(250)
    some = sample(queries, 25)
    mean = sum(query.overlap for query in queries) / 250
    assert abs(sum(query.overlap for query in some) / 25 - mean) < 1
    assert len({query.id for query in some}) == 25
    assert sample(queries, 300) == queries


def test_an_outcome_says_what_was_scaled_and_is_drawn(tmp_path: Path) -> None:
    contenders = (
        Contender(WOVEN, 250, 1.0, 10.0, 6.0),
        Contender(SEPARATE, 25, 10.0, 250.0, 130.0),
        Contender(DUCKDB, 250, 1.0, 4.0, 4.0),
    )
    checks = (Check(3, "the definition", 250, ()), Check(4, "the definition", 250, ("q7",)))
    run = Measured("generated", 250, 1, "best", 1_000, 3, 2, 60.0, 12, contenders, checks)
    shown = fields(run)
    assert [contender["over_woven"] for contender in shown["contenders"]] == [1.0, 25.0, 0.4]
    assert shown["wrong"] == ("q7",)
    draw([run], tmp_path)
    draw([run, run], tmp_path)
    assert (tmp_path / "execution-generated.svg").exists()


def test_what_a_push_costs_anyway_is_not_scaled() -> None:
    # 3 CPU-seconds whatever the number of views, and half a second a view
    many, few = (Contender(SEPARATE, n, 250 / n, (3 + n / 2) * 250 / n, 1.0 * 250 / n) for n in (25, 5))
    whole = extrapolated(many, few, 250)
    assert round(whole.cpu_seconds, 6) == 128.0
    assert round(whole.scaled_by * 15.5, 6) == 128.0
    assert whole.ran_views == 25
