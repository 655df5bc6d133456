"""The tweets of `headwater bench smile`: the rows it makes, the project it keeps, how it feeds and copies it."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow.compute as pc
import pytest

import headwater
from headwater.algebra.stages.stage import StageKind
from headwater.bench.smile.experiments.options import accepted
from headwater.bench.smile.measuring.readers import Readers
from headwater.bench.smile.workload.cache import cache_name, copy_filled
from headwater.bench.smile.workload.feed import feed
from headwater.bench.smile.workload.preload import fill, position_of
from headwater.bench.smile.workload.project import Shape, write_project
from headwater.bench.smile.workload.relations import RATIOS, SCHEMAS, Position, slice_of, slices
from headwater.bench.smile.workload.schedule import Phase, batches, gardenhose, length
from headwater.bench.smile.workload.views import APPS, ORDER
from headwater.catalog import build
from headwater.project import load
from headwater.storage.timeline import WEIGHT

pytestmark = pytest.mark.slow

SEED = 7


# Rows


def test_there_are_as_many_rows_per_tweet_as_the_paper_says() -> None:
    counts = dict.fromkeys(RATIOS, 0)
    for part in slices(SEED, Position(), 100_000, 30_000):
        for table, rows in part.rows.items():
            counts[table] += rows.num_rows
    assert counts.pop("users") == pytest.approx(30_000, rel=0.02)  # each tweet's user is new by chance
    assert counts == {name: round(100_000 * ratio) for name, ratio in RATIOS.items() if name != "users"}


def test_small_slices_keep_the_ratios() -> None:
    rows = [part.rows["foursq"].num_rows for part in slices(SEED, Position(), 1_000, 7)]
    assert sum(rows) == 20
    assert max(rows) == 1


def test_the_same_position_makes_the_same_rows() -> None:
    position = Position(5_000, 1_500)
    first, again = slice_of(SEED, position, 500), slice_of(SEED, position, 500)
    assert all(first.rows[name].equals(again.rows[name]) for name in SCHEMAS)
    assert first.after == again.after
    assert not first.rows["tweets"].equals(slice_of(SEED + 1, position, 500).rows["tweets"])
    assert not first.rows["tweets"].equals(slice_of(SEED, Position(5_500, 1_500), 500).rows["tweets"])


def test_rows_belong_to_tweets_and_users_of_their_slice() -> None:
    users_before = 0
    for part in slices(SEED, Position(), 9_000, 3_000):
        tweets = part.rows["tweets"]
        tids = set(tweets.column("tid").to_pylist())
        active = set(tweets.column("uid").to_pylist())
        for table in ("curloc", "urls", "hashtags", "photos", "foursq"):
            assert set(part.rows[table].column("tid").to_pylist()) <= tids
        for table in ("socnet", "loc"):
            assert set(part.rows[table].column("uid").to_pylist()) <= active
        users = part.rows["users"].column("uid").to_pylist()
        assert users == list(range(users_before + 1, part.after.users + 1))
        assert max(active) <= part.after.users
        users_before = part.after.users
        assert {name: rows.column_names for name, rows in part.rows.items()} == {
            name: list(columns) for name, columns in SCHEMAS.items()
        }


def test_old_users_tweet_more_and_texts_have_about_sixty_characters() -> None:
    tweets = slice_of(SEED, Position(1_000_000, 300_000), 50_000).rows["tweets"]
    uids = tweets.column("uid").to_numpy()
    old = uids[uids <= 300_000]
    assert len(old) == pytest.approx(35_000, rel=0.06)
    # Half of the draws fall on the first quarter, and so on: the density falls as the root of the rank.
    assert np.mean(old <= 75_000) == pytest.approx(0.5, abs=0.03)
    assert np.mean(old <= 3_000) == pytest.approx(0.1, abs=0.02)
    lengths = pc.utf8_length(tweets.column("text"))
    assert pc.mean(lengths).as_py() == pytest.approx(60, abs=4)


# Project


def test_the_project_has_nine_tables_and_25_incremental_views(tmp_path: Path) -> None:
    write_project(tmp_path, Shape(preload=7_000_000, rate=6_000))
    project = load(tmp_path)
    catalog = build(project)
    assert set(project.tables) == set(SCHEMAS)
    assert list(project.views) == [app.name for app in APPS]
    assert len(project.views) == 25
    assert {stage.kind for kept in catalog.kept.values() for stage in kept.stages} == {StageKind.ROWS}
    assert project.tables["foursq"].expect.rows == 140_000
    assert project.tables["foursq"].expect.rate_per_second == 120
    assert {view.site for view in project.views.values()} == {f"m{number}" for number in range(1, 7)}
    assert {view.freshness.total_seconds() for view in project.views.values()} == {45}


def test_the_mix_and_copies_at_other_sites(tmp_path: Path) -> None:
    write_project(tmp_path, Shape(mix=True, views=50))
    views = load(tmp_path).views
    seconds = [view.freshness.total_seconds() for view in views.values()]
    assert seconds[:25] == [10] * 7 + [40] * 8 + [60] * 10
    assert seconds[25:] == seconds[:25]
    for app in APPS:
        assert views[f"{app.name}_copy1"].site != views[app.name].site


def test_one_site_needs_no_names(tmp_path: Path) -> None:
    write_project(tmp_path, Shape(sites=1, numbers=(1, 4), promises={4: 50.0}))
    project = load(tmp_path)
    assert {view.site for view in project.views.values()} == {"default"}
    assert [view.freshness.total_seconds() for view in project.views.values()] == [45, 50]


def test_the_sql_is_the_natural_join() -> None:
    part = slice_of(SEED, Position(), 4_000)
    connection = duckdb.connect()
    for name, rows in part.rows.items():
        connection.register(name, rows)
        named = rows.rename_columns(["photo_url" if (name, column) == ("photos", "url") else column
                                     for column in rows.column_names])  # fmt: skip
        connection.register(f"n_{name}", named)
    for view in APPS:
        relations = sorted(view.relations, key=ORDER.index)
        natural = " NATURAL JOIN ".join(f"n_{relation}" for relation in relations)
        expected = connection.sql(f"SELECT * FROM {natural}").to_arrow_table()
        joined = connection.sql(view.sql).to_arrow_table()
        assert sorted(joined.column_names) == sorted(expected.column_names), view.name
        assert len(set(joined.column_names)) == len(joined.column_names)
        names = joined.column_names
        assert joined.num_rows == expected.num_rows
        keys = [(name, "ascending") for name in names]
        assert joined.sort_by(keys).equals(expected.select(names).sort_by(keys))


# Load


def test_a_schedule_is_cut_into_batches_that_add_up() -> None:
    phases = [Phase(10, 75.0), Phase(5, 150.0)]
    counts = batches(phases, 2.0)
    assert counts == [150, 150, 150, 150, 150, 300, 300, 150][: len(counts)]
    assert sum(batches([Phase(7, 33.3)], 1.0)) == 233
    assert batches([Phase(1, 0.5)], 1.0) == [0]


def test_the_gardenhose_is_uneven_and_keeps_its_average() -> None:
    phases = gardenhose(7_200)
    rates = [phase.rate for phase in phases]
    assert length(phases) == 7_200
    assert sum(rates) / len(rates) == pytest.approx(100)
    assert max(rates) > 200 > 70 > min(rates)
    assert gardenhose(7_200) == phases


def test_readers_follow_the_phases(tmp_path: Path) -> None:
    readers = Readers(tmp_path, [Phase(10, 1, 8), Phase(5, 1, 50)])
    assert [readers.wanted(at) for at in (0, 9.9, 10, 14.9, 15)] == [8, 8, 50, 50, 0]


def test_the_feeder_goes_on_where_the_preload_ended(tmp_path: Path) -> None:
    write_project(tmp_path, Shape())
    project = headwater.open(str(tmp_path))
    fill(project, tmp_path, 1_000, SEED, lambda text: None)
    position = position_of(tmp_path)
    assert position.tweets == 1_000
    plan = {"seed": SEED, "position": {"tweets": position.tweets, "users": position.users},
            "batches": [30, 0, 20], "every": 0.01}  # fmt: skip
    reports = list(feed(project, plan))
    assert [report["tweets"] for report in reports] == [30, 30, 50, 50]
    assert reports[-1]["done"]
    timeline = project.warehouse.source("tweets")
    rows = timeline.read(timeline.as_of(timeline.time()))
    assert sorted(rows.column("tid").to_pylist()) == list(range(1, 1_051))
    expected = slice_of(SEED, position, 30)
    stored = rows.filter(pc.field("tid").isin(expected.rows["tweets"].column("tid").to_pylist()))
    assert stored.drop_columns([WEIGHT]).sort_by("tid").to_pylist() == expected.rows["tweets"].to_pylist()


def test_options_that_a_function_lacks_are_left_out() -> None:
    def run(stop: int, sharing: bool = True) -> None: ...

    assert accepted(run, stop=1, sharing=False, show=None) == {"stop": 1, "sharing": False}


# Cache


def test_a_copy_shares_data_and_nothing_else(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    write_project(source, Shape())
    fill(headwater.open(str(source)), source, 500, SEED, lambda text: None)
    copy_filled(source, target)
    copy = headwater.open(str(target))
    copy.ingest("users", [{"uid": 1_000_000, "name": "new"}])
    original = headwater.open(str(source)).warehouse.source("users")
    assert copy.warehouse.source("users").snapshot().rows == original.snapshot().rows + 1
    data = [path for path in source.rglob("*.parquet") if "_delta_log" not in path.parts]
    assert data
    assert all(path.stat().st_nlink == 2 for path in data)
    logs = list(source.rglob("_delta_log/*.json"))
    assert logs
    assert all(path.stat().st_nlink == 1 for path in logs)


def test_what_is_stored_names_the_cache() -> None:
    names = {
        cache_name(Shape(), 7, True),
        cache_name(Shape(), 8, True),
        cache_name(Shape(), 7, False),
        cache_name(Shape(sites=3), 7, True),
        cache_name(Shape(preload=5), 7, True),
        cache_name(Shape(numbers=(1, 2)), 7, True),
    }
    assert len(names) == 6
    assert cache_name(Shape(freshness=10), 7, True) == cache_name(Shape(mix=True, rate=5), 7, True)
