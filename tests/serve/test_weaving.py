"""Which views are woven: what is shared, what stays apart and why, what moves when views come and go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headwater
from headwater.catalog import Catalog
from headwater.errors import InputError
from headwater.planning.weaving.weave import Woven
from headwater.serve.planning.remembered import remembered
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.records.journal import PUSHES, append_rows
from support.commands import command

TABLE = """
CREATE TABLE quotes (id BIGINT PRIMARY KEY, symbol STRING, venue INT, at TIMESTAMP, local TIMESTAMP_NTZ, price DECIMAL(12,4))
  EXPECT ROWS 1000000 RATE 5000 PER SECOND;
CREATE TABLE companies (symbol STRING PRIMARY KEY, country STRING) EXPECT ROWS 500 RATE 0.1 PER SECOND;
"""
SETTINGS = "name: woven\nexpect:\n  quotes: {values: {symbol: 20, venue: 4}}\n"


def view(name: str, select: str) -> str:
    return f"CREATE MATERIALIZED VIEW {name} FRESHNESS = INTERVAL '60' SECOND AS {select};\n"


def windows(
    name: str,
    size: int,
    slide: int,
    keys: str = "symbol",
    where: str = "",
    call: str = "count(*)",
    time: str = "at",
) -> str:
    window = f"window({time}, '{size} seconds', '{slide} seconds')"
    listed = f"{keys}, " if keys else ""
    condition = f" WHERE {where}" if where else ""
    return view(
        name, f"SELECT {listed}{window} AS w, {call} AS a FROM quotes{condition} GROUP BY {listed}{window}"
    )


def project(folder: Path, *views: str, settings: str = SETTINGS) -> headwater.Headwater:
    folder.mkdir(exist_ok=True)
    (folder / "headwater.yml").write_text(settings)
    (folder / "views.sql").write_text(TABLE + "".join(views))
    return headwater.open(str(folder))


def woven(opened: headwater.Headwater) -> Woven:
    return opened.plan([]).woven


def trees(opened: headwater.Headwater) -> list[set[str]]:
    return sorted((set(tree.views) for tree in woven(opened).trees), key=sorted)


def test_views_of_one_table_share_fragments(tmp_path: Path) -> None:
    opened = project(tmp_path, windows("a", 60, 10), windows("b", 120, 20, call="max(price)"))
    (tree,) = woven(opened).trees
    assert set(tree.views) == {"a", "b"}
    assert tree.edge_rate == pytest.approx(0.1)
    assert tree.tree.overlap == 12
    groups = 20  # symbols
    assert tree.cost_alone == pytest.approx(2 * 5000 + groups * (6 / 10 + 6 / 20))
    assert tree.cost == pytest.approx(5000 + groups * 12 / 10), "the paper's rate + edge rate x overlap"
    planned = opened.plan([])
    assert planned.dollars_per_hour < planned.dollars_alone
    assert tree.stage in {stage for action in planned.keeps.actions for stage in action.names}


def test_finer_keys_serve_coarser_ones_and_filters_are_applied_where_they_can_be(tmp_path: Path) -> None:
    opened = project(
        tmp_path,
        windows("by_symbol", 60, 10),
        windows("in_all", 60, 10, keys=""),
        windows("one_symbol", 60, 10, where="symbol = 'IBM'"),
        windows("dear", 60, 10, where="price > 100"),
        view("plain", "SELECT symbol, count(*) AS n FROM quotes GROUP BY symbol"),
        view("pairs", "SELECT symbol, venue, count(*) AS n FROM quotes GROUP BY symbol, venue"),
    )
    shared = trees(opened)
    assert {"by_symbol", "in_all", "one_symbol"} <= max(shared, key=len)
    assert any({"plain", "pairs"} <= views for views in shared), "groups without windows share the finer one"


def test_a_tree_more_must_spare_more_than_it_costs(tmp_path: Path) -> None:
    """Finer fragments cost each view a row, not one in each of its hundred windows: these share few edges."""
    slides = (7, 11, 13, 17, 19, 23)
    views = [
        windows(f"v{slide}_{more}", (90 + more) * slide, slide) for slide in slides for more in range(12)
    ]
    assert len(trees(project(tmp_path, *views))) == 1


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (windows("odd", 60, 10, call="count(DISTINCT venue)"), "DISTINCT count has no partial states"),
        (windows("odd", 60, 10, call="percentile(venue, 0.5)"), "percentile has no partial states"),
        (windows("odd", 60, 10, time="local"), "not a TIMESTAMP"),
        (windows("odd", 60, 10, call="sum(100 / venue)"), "a row could make something that it computes fail"),
        (view("odd", "SELECT count(*) AS n FROM quotes"), "it has one group only"),
    ],
)
def test_what_cannot_be_woven_says_why(tmp_path: Path, sql: str, reason: str) -> None:
    opened = project(tmp_path, windows("a", 60, 10), windows("b", 120, 20), sql)
    assert trees(opened) == [{"a", "b"}]
    assert reason in woven(opened).apart["odd"]


def test_a_stage_that_costs_more_than_it_saves_is_not_made(tmp_path: Path) -> None:
    slow = SETTINGS.replace("{values", "{rate: 0.1, values")
    opened = project(tmp_path, windows("a", 60, 60), windows("b", 120, 120), settings=slow)
    assert not woven(opened).trees
    assert "rows a second" in woven(opened).apart["a"]
    always = project(
        tmp_path, windows("a", 60, 60), windows("b", 120, 120), settings=slow + "weave: {always: true}\n"
    )
    assert woven(always).trees


def test_settings(tmp_path: Path) -> None:
    views = (windows("a", 60, 10), windows("b", 120, 20), windows("c", 7, 3))
    assert not woven(project(tmp_path, *views, settings=SETTINGS + "weave: off\n")).trees
    assert len(trees(project(tmp_path, *views, settings=SETTINGS + "weave: w-tl\n"))) == 1
    assert len(trees(project(tmp_path, *views, settings=SETTINGS + "weave: {optimizer: g-tl}\n"))) == 3
    with pytest.raises(InputError, match='no optimizer "besst"') as raised:
        project(tmp_path, *views, settings=SETTINGS + "weave: besst\n").plan([])
    assert raised.value.code == "HW509"
    with pytest.raises(InputError, match="total or balanced"):
        project(tmp_path, *views, settings=SETTINGS + "weave: {objective: fast}\n")


def test_a_join_that_several_views_share_is_woven_over(tmp_path: Path) -> None:
    def joined(name: str, size: int) -> str:
        window = f"window(q.at, '{size} seconds', '10 seconds')"
        return view(
            name,
            f"SELECT c.country, {window} AS w, sum(q.price) AS total FROM quotes q JOIN companies c"
            f" ON q.symbol = c.symbol GROUP BY c.country, {window}",
        )

    opened = project(tmp_path, joined("a", 60), joined("b", 120))
    (tree,) = woven(opened).trees
    assert set(tree.views) == {"a", "b"}
    assert tree.relation.startswith("companies+quotes~")


def stages(catalog: Catalog) -> set[str]:
    return {catalog.folder(name) for name in catalog.shared}


def test_views_come_and_go_and_trees_stay(tmp_path: Path) -> None:
    first = project(tmp_path, windows("a", 60, 10), windows("b", 120, 20))
    kept = stages(shared_catalog(first.catalog, first.warehouse))
    (tree,) = remembered(first.warehouse).trees  # type: ignore[union-attr]
    assert set(tree.views) == {"a", "b"}
    more = project(tmp_path, windows("a", 60, 10), windows("b", 120, 20), windows("c", 30, 10))
    assert stages(shared_catalog(more.catalog, more.warehouse)) == kept, "it holds all that c needs"
    fewer = project(tmp_path, windows("b", 120, 20), windows("c", 30, 10))
    assert stages(shared_catalog(fewer.catalog, fewer.warehouse)) == kept, "nothing is computed anew"
    other = project(tmp_path, windows("b", 120, 20), windows("c", 30, 10), windows("d", 30, 3))
    finer = shared_catalog(other.catalog, other.warehouse)
    assert {view for tree in remembered(other.warehouse).trees for view in tree.views} == {"b", "c", "d"}  # type: ignore[union-attr]
    again = shared_catalog(other.catalog, other.warehouse)
    assert again == finer


@pytest.mark.parametrize(
    "call",
    [
        "min(DATE '2026-01-01')", "min(struct(venue, symbol))", "max(coalesce(symbol, 'a\\nb'))", "avg(price)",
        "count_if(at > TIMESTAMP '2026-01-01 00:00:00')", "max(named_struct('a b', venue))", "stddev(CAST(price AS DOUBLE))",
    ],
)  # fmt: skip
def test_whatever_trees_hold_they_are_remembered(call: str, tmp_path: Path) -> None:
    """A run keeps to them: text that reads back in another way would weave views anew each time."""
    opened = project(
        tmp_path, windows("a", 60, 10, call=call), windows("b", 120, 20, keys="date(at)", call=call)
    )
    planned = opened.plan([])
    shared_catalog(opened.catalog, opened.warehouse)
    held = remembered(opened.warehouse)
    assert held is not None
    assert repr(held.trees) == repr(planned.woven.known)
    assert len(held.trees) == 1


def test_the_plan_says_it(tmp_path: Path) -> None:
    project(
        tmp_path,
        windows("a", 60, 10),
        windows("b", 120, 20),
        windows("odd", 60, 10, call="count(DISTINCT venue)"),
    )
    told = command("plan", str(tmp_path)).stdout
    assert "quotes, aggregated once for the windows of a and b" in " ".join(told.split())
    picture = tmp_path / "plan.svg"
    answer = json.loads(command("plan", str(tmp_path), "--json", "--svg", str(picture)).stdout)
    (tree,) = answer["trees"]
    assert tree["site"] == "default"
    assert tree["table"] == "quotes"
    assert sorted(tree["views"]) == ["a", "b"]
    assert tree["cost"] < tree["cost_alone"]
    assert answer["weaving"] == {
        "total_cost_alone": tree["cost_alone"],
        "total_cost": tree["cost"],
        "max_cost": tree["cost"],
        "sites": [{"site": "default", "cost": tree["cost"]}],
    }
    both = [view for view in answer["views"] if view["name"] in "ab"]
    for field in ("dollars_per_hour", "dollars_per_hour_alone"):
        assert tree[field] == pytest.approx(sum(view[field] for view in both))
    assert tree["dollars_per_hour"] < tree["dollars_per_hour_alone"]
    assert (tree["edge_rate"], tree["overlap"]) == (pytest.approx(0.1), 12)
    assert answer["apart"] == {"odd": "DISTINCT count has no partial states"}
    assert "shared edges" in picture.read_text()
    explained = command("plan", str(tmp_path), "--explain").stdout
    assert "Woven aggregates" in explained
    assert "odd: not woven, because DISTINCT count has no partial states" in explained


def test_add_and_drop_say_what_moves(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    opened = project(folder, windows("a", 60, 10), windows("b", 120, 20))
    (stage,) = shared_catalog(opened.catalog, opened.warehouse).shared
    (tmp_path / "c.sql").write_text(windows("c", 30, 10))
    answer = json.loads(command("add", str(folder), str(tmp_path / "c.sql"), "--json").stdout)
    assert answer["rewoven"] == [{"stage": stage, "views": ["c"], "anew": False}]
    more = headwater.open(str(folder))
    assert set(shared_catalog(more.catalog, more.warehouse).shared) == {stage}
    dropped = json.loads(command("drop", str(folder), "c", "--json").stdout)
    assert sorted(dropped["leaves"]) == ["a", "b"]


def test_views_that_keep_what_their_table_drops_stay_apart(tmp_path: Path) -> None:
    """A shared stage would be computed from what is left."""
    (tmp_path / "headwater.yml").write_text("name: kept\n")
    (tmp_path / "views.sql").write_text(
        "CREATE TABLE quotes (id BIGINT PRIMARY KEY, symbol STRING, at TIMESTAMP TEMPORAL) EXPECT RATE 5000 PER SECOND\n"
        " RETAIN INTERVAL '7' DAY KEEP DERIVED;" + windows("a", 60, 10) + windows("b", 120, 20)
    )
    opened = headwater.open(str(tmp_path))
    assert not woven(opened).trees
    assert all("drops" in woven(opened).apart[view] for view in "ab")


def test_status_shows_what_trees_did_beside_the_model(tmp_path: Path) -> None:
    opened = project(tmp_path, windows("a", 60, 10), windows("b", 120, 20))
    (stage,) = shared_catalog(opened.catalog, opened.warehouse).shared
    now = opened.clock.now()

    def push(name: str, changed: int, result: int, mode: str = "incremental") -> dict[str, object]:
        numbers = {"changed_rows": changed, "result_rows": result, "cpu_seconds": 0.5}
        return dict.fromkeys(PUSHES.names) | {"at": now, "view": name, "stage": name, "mode": mode} | numbers

    records = [push(stage, 1000, 40), push("a", 40, 240), push("b", 40, 240), push("a", 9, 9, "initial")]
    append_rows(opened.warehouse.system("pushes"), PUSHES, records, now)
    (tree,) = opened.status().trees
    assert (tree.stage, sorted(tree.views), tree.overlap) == (stage, ["a", "b"], 12)
    assert (tree.pushes, tree.rows_in, tree.fragments) == (1, 1000, 40)
    assert tree.merges == 40 * 12
    assert tree.cpu_seconds == pytest.approx(1.5)
    assert stage in command("status", str(tmp_path)).stdout
    (shown,) = json.loads(command("status", str(tmp_path), "--json").stdout)["trees"]
    assert shown["merges"] == 480


def test_runs_keep_to_their_trees_until_they_are_asked_to_weave_afresh(tmp_path: Path) -> None:
    views = [windows(f"v{slide}", 100 * slide, slide) for slide in (7, 11, 13)]
    together = project(tmp_path, *views, settings=SETTINGS + "weave: w-tl\n")
    (stage,) = shared_catalog(together.catalog, together.warehouse).shared
    assert together.plan([]).running.same  # type: ignore[union-attr]
    apart = project(tmp_path, *views, settings=SETTINGS + "weave: g-tl\n")
    planned = apart.plan([])
    assert [tree.stage for tree in planned.woven.trees] == [stage]
    assert not planned.running.same  # type: ignore[union-attr]
    assert set(shared_catalog(apart.catalog, apart.warehouse).shared) == {stage}
    assert len(shared_catalog(apart.catalog, apart.warehouse, replan=True).shared) == 3


def test_weaving_afresh_leaves_a_tree_that_holds_the_same(tmp_path: Path) -> None:
    """In whatever order its views came."""
    a, b = windows("a", 60, 10), windows("b", 120, 20, keys="", call="max(price)")
    c = windows("c", 30, 10, call="sum(venue)")
    for views in ((b,), (b, c), (b, c, a)):
        grown = project(tmp_path, *views)
        before = stages(shared_catalog(grown.catalog, grown.warehouse))
    assert len(before) == 1
    for views in ((b, c, a), (a, b, c), (c, a, b)):
        afresh = project(tmp_path, *views)
        assert stages(shared_catalog(afresh.catalog, afresh.warehouse, replan=True)) == before


def test_a_stage_costs_something_by_itself(tmp_path: Path) -> None:
    """The paper would make a tree of each when rows are few; but each would be one more stage in every push."""
    views = [windows(f"v{slide}", 100 * slide, slide) for slide in (7, 11, 13)]
    calm = SETTINGS.replace("{values", "{rate: 200, values")
    assert len(trees(project(tmp_path, *views, settings=calm))) == 1
