"""ON OVERLOAD UPDATES of CREATE TABLE, EVERY CHANGE of a view, and what the catalog makes of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.algebra.stages.stage import StageKind
from headwater.catalog import build
from headwater.errors import InputError
from headwater.model import Project, RefreshWeight, Site, Updates, WholeWindows, Windowed
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

QUOTES = "CREATE TABLE quotes (symbol STRING, price DOUBLE, UPDATE KEY (symbol))"
BEST = f"{QUOTES} ON OVERLOAD UPDATES best"
STREAM = "CREATE TABLE {} (id INT PRIMARY KEY, at TIMESTAMP TEMPORAL)"
JOIN = (
    f"{STREAM.format('a')};{STREAM.format('b')};"
    "CREATE MATERIALIZED VIEW v {} AS SELECT a.id FROM a JOIN b ON a.id = b.id"
)
WATCH = "CREATE TABLE w (symbol STRING, weight DOUBLE)"


def project(*statements: str) -> Project:
    declared = resolve(parse_statements(";\n".join(statements), "m.sql"), {"default": Site()})
    tables = {table.name: table for table in declared.tables}
    views = {view.name: view for view in declared.views}
    return Project("market", ".", ".", tables, views, {}, {})


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("", Updates.APPEND),
        ("ON OVERLOAD UPDATES append", Updates.APPEND),
        ("ON OVERLOAD UPDATES best", Updates.BEST),
        ("on overload updates LineCut ON VIOLATION WARN", Updates.LINECUT),
        ("RETAIN CURRENT ON OVERLOAD UPDATES fifo", Updates.FIFO),
        ("TBLPROPERTIES ('headwater.on_overload' = 'updates inplace')", Updates.INPLACE),
    ],
)
def test_on_overload(clause: str, expected: Updates) -> None:
    assert project(f"{QUOTES} {clause}").tables["quotes"].updates is expected


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"{QUOTES} ON OVERLOAD UPDATES bset", "HW111", "no policy of updates"),
        (f"{QUOTES} ON OVERLOAD UPDATES lazy", "HW102", "after the policy"),
        (f"{QUOTES} ON OVERLOAD best", "HW100", "UPDATES"),
        ("CREATE TABLE t (a INT) ON OVERLOAD UPDATES best", "HW117", "no UPDATE KEY"),
        (f"{QUOTES} REFRESH WEIGHT (symbol) FROM w (symbol, weight)", "HW117", "nothing asks for"),
        (f"{BEST} eager", "HW102", "after the policy"),
        (JOIN.format("WINDOWS EAGER"), "HW102", "after the policy"),
        (JOIN.format("WINDOWS = INTERVAL '1' MINUTE"), "HW102", 'did you mean "WINDOW"'),
        (f"{QUOTES} OVERLOAD WEIGHT = 2", "HW117", "takes everything under overload"),
        (f"{BEST} OVERLOAD WEIGHT = 0", "HW111", "above 0"),
        (f"{BEST} OVERLOAD WEIGHT 1 OVERLOAD WEIGHT 2", "HW103", "given twice"),
        (f"{BEST} OVERLOAD WEIGHT 1 TBLPROPERTIES ('headwater.overload_weight' = '2')", "HW103", "disagree"),
        (JOIN.format("OVERLOAD WEIGHT = 2"), "HW127", "needs a WINDOW"),
        (JOIN.format("WINDOW = INTERVAL '1' MINUTE OVERLOAD WEIGHT 2"), "HW127", "needs ON OVERLOAD ADAPT"),
        (f"{BEST} REFRESH WEIGHT (symbol) FROM w (weight)", "HW100", "and its weight"),
        (f"{BEST} REFRESH WEIGHT (symbol) FROM w (symbol, weight)", "HW122", 'no table "w"'),
        (f"{BEST} REFRESH WEIGHT (symbol) FROM w (symbl, weight);{WATCH}", "HW122", 'no column "symbl"'),
        (f"{BEST} REFRESH WEIGHT (price) FROM w (symbol, weight);{WATCH}", "HW122", "cannot be weighed"),
        (f"{BEST} REFRESH WEIGHT (symbol) FROM w (symbol, symbol);{WATCH}", "HW122", "a weight is a number"),
        (BEST.replace("price", "_First"), "HW109", "where updates are chosen among"),
        (BEST.replace("price", "_key0"), "HW109", "where updates are chosen among"),
    ],
)
def test_what_is_wrong(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        project(text)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("", 1.0),
        ("OVERLOAD WEIGHT = 3", 3.0),
        ("overload weight 0.25", 0.25),
        ("TBLPROPERTIES ('headwater.overload_weight' = '2.5')", 2.5),
    ],
)
def test_overload_weight(clause: str, expected: float) -> None:
    assert project(f"{BEST} {clause}").tables["quotes"].overload_weight == expected
    adapted = f"WINDOW = INTERVAL '1' MINUTE ON OVERLOAD ADAPT JOINS {clause}"
    window = project(JOIN.format(adapted)).views["v"].window
    assert window is not None
    assert window.weight == expected


def test_a_weight_leaves_views_as_they_are() -> None:
    adapted = "WINDOW = INTERVAL '1' MINUTE ON OVERLOAD ADAPT JOINS"
    plain, heavy = (
        build(project(f"{BEST} {more};{JOIN.format(f'{adapted} {more}')}"))
        for more in ("", "OVERLOAD WEIGHT 9")
    )
    assert plain.versions == heavy.versions


VIEW = "CREATE MATERIALIZED VIEW v {} AS SELECT symbol, price FROM quotes WHERE price > 1"


@pytest.mark.parametrize("clause", ["REFRESH EVERY CHANGE", "REFRESH POLICY INCREMENTAL EVERY CHANGE"])
def test_a_view_reads_what_is_shown_unless_it_wants_every_change(clause: str) -> None:
    chosen = f"{QUOTES} ON OVERLOAD UPDATES best"
    plain, over_shown, every = (
        build(project(table, VIEW.format(words)))
        for table, words in ((QUOTES, ""), (chosen, ""), (chosen, clause))
    )
    assert plain.kept["v"].stages[0].reads == every.kept["v"].stages[0].reads == ("quotes",)
    assert over_shown.kept["v"].stages[0].reads == ("quotes$shown",)
    assert over_shown.sources("v") == over_shown.below("v") == {"quotes"}
    (stage,) = over_shown.shared["quotes$shown"].stages
    assert (stage.kind, stage.reads) == (StageKind.CHOOSING, ("quotes",))
    assert over_shown.versions["v"] != plain.versions["v"] == every.versions["v"]


def test_a_table_that_takes_everything_may_name_its_columns_as_it_likes() -> None:
    assert project(QUOTES.replace("price", "_first")).tables["quotes"].column("_first") is not None


EVERY = (
    "CREATE MATERIALIZED VIEW {} REFRESH EVERY CHANGE AS SELECT symbol, count(*) AS n FROM {} GROUP BY symbol"
)


@pytest.mark.parametrize("below", ["v", "over_v"])
def test_a_view_that_must_not_miss_a_change_cannot_read_what_was_chosen(below: str) -> None:
    between = "CREATE MATERIALIZED VIEW over_v AS SELECT symbol FROM v"
    with pytest.raises(InputError, match='shows what is chosen of "quotes"') as raised:
        project(EVERY.format("all_of_it", below), BEST, between, VIEW.format(""))
    assert raised.value.code == "HW140"


@pytest.mark.parametrize(("table", "clause"), [(QUOTES, ""), (BEST, "REFRESH EVERY CHANGE")])
def test_a_view_that_must_not_miss_a_change_reads_views_that_have_them_all(table: str, clause: str) -> None:
    declared = project(
        table, VIEW.format(clause), EVERY.format("all_of_it", "v"), EVERY.format("more", "all_of_it")
    )
    assert build(declared).stages_under("more")[-1] == "more"


PLACES = "CREATE TABLE places (id INT PRIMARY KEY, symbol STRING, UPDATE KEY ({})) ON OVERLOAD UPDATES best"
RANKED = "CREATE MATERIALIZED VIEW v {} AS SELECT symbol, row_number() OVER (ORDER BY id) AS n FROM places"


@pytest.mark.parametrize(
    ("key", "clause", "total"),
    [
        ("symbol", "REFRESH EVERY CHANGE", True),
        ("id", "", True),
        (
            "symbol",
            "",
            False,
        ),  # the id has gone to another symbol, whose row is shown; that of the first waits
    ],
)
def test_what_is_shown_may_have_two_rows_of_a_key_that_is_no_update_key(
    key: str, clause: str, total: bool
) -> None:
    catalog = build(project(PLACES.format(key), RANKED.format(clause)))
    assert (not catalog.kept["v"].warnings) == total


def test_refresh_weight() -> None:
    tables = project(f"{BEST} REFRESH WEIGHT (SYMBOL) FROM W (symbol, Weight)", WATCH).tables
    assert tables["quotes"].weight == RefreshWeight(("symbol",), "w", ("symbol",), "weight")


def test_another_policy_or_a_column_more_leaves_views_as_they_are() -> None:
    best, fifo = (
        build(project(f"{QUOTES} ON OVERLOAD UPDATES {name}", VIEW.format(""))) for name in ("best", "fifo")
    )
    assert best.versions == fifo.versions
    wider = QUOTES.replace("price DOUBLE", "price DOUBLE, venue STRING")
    more = build(project(f"{wider} ON OVERLOAD UPDATES best", VIEW.format("")))
    assert more.versions["v"] == best.versions["v"]
    assert more.versions["quotes"] != best.versions["quotes"]  # what is shown starts anew, with the column


TICKS = (
    "CREATE TABLE ticks (symbol STRING, price DOUBLE, at TIMESTAMP TEMPORAL, seen TIMESTAMP{}, UPDATE KEY (symbol))"
    " ON OVERLOAD UPDATES {}"
)
LAZY = TICKS.format("", "best WINDOWS LAZY")
BY_WINDOW = (
    "CREATE MATERIALIZED VIEW {} {} AS SELECT symbol, count(*) AS n FROM {} GROUP BY symbol, window(at, {})"
)


@pytest.mark.parametrize(
    ("text", "semantics", "column"),
    [
        (LAZY, WholeWindows.LAZY, "at"),
        (TICKS.format("", "inplace windows eager RETAIN INTERVAL '1' HOUR"), WholeWindows.EAGER, "at"),
        (TICKS.format(" TEMPORAL", "best WINDOWS LAZY ON SEEN"), WholeWindows.LAZY, "seen"),
        (TICKS.format("", "best WINDOWS EAGER ON VIOLATION WARN"), WholeWindows.EAGER, "at"),
    ],
)
def test_whole_windows(text: str, semantics: WholeWindows, column: str) -> None:
    table = project(text).tables["ticks"]
    assert table.windows == Windowed(semantics, column)
    assert (table.update_key, table.row_key) == (("symbol",), ("symbol", column))


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (TICKS.format("", "best WINDOWS LATE"), "HW111", "LAZY or EAGER"),
        (TICKS.format("", "append WINDOWS LAZY"), "HW141", "takes everything"),
        (TICKS.format(" TEMPORAL", "best WINDOWS LAZY"), "HW141", "needs a TEMPORAL column"),
        (TICKS.format("", "best WINDOWS LAZY ON price"), "HW141", "needs a TEMPORAL column"),
        (f"{BEST} WINDOWS EAGER", "HW141", "needs a TEMPORAL column"),
        (LAZY.replace("KEY (symbol)", "KEY (symbol, at)"), "HW141", "needs a TEMPORAL column"),
    ],
)
def test_what_is_wrong_with_windows(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        project(text)
    assert raised.value.code == code


def test_rows_are_shown_together_whose_windows_are_those_of_any_view() -> None:
    views = [
        BY_WINDOW.format("six", "", "ticks", "'6 seconds'"),
        "CREATE MATERIALIZED VIEW in_between AS SELECT symbol, at FROM ticks",
        BY_WINDOW.format("four", "", "in_between", "'4 seconds'"),
        BY_WINDOW.format("all_of_it", "REFRESH EVERY CHANGE", "ticks", "'1 hour', '5 seconds'"),
    ]
    table = build(project(LAZY, *views)).project.tables["ticks"]
    assert table.windows == Windowed(WholeWindows.LAZY, "at", timedelta(seconds=12))


@pytest.mark.parametrize(
    ("clause", "window", "message"),
    [
        ("", "'10 seconds', '5 seconds'", "overlap"),
        ("", "'10 seconds', '10 seconds', '3 seconds'", "begin at other times"),
        ("REFRESH POLICY FULL", "'10 seconds'", "is recomputed from its SQL"),
    ],
)
def test_windows_that_could_have_holes_are_refused(clause: str, window: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        build(project(LAZY, BY_WINDOW.format("v", clause, "ticks", window)))
    assert raised.value.code == "HW141"


def test_what_is_shown_starts_anew_if_views_have_other_windows() -> None:
    """Of the new ones some might be shown in part."""
    short, long, none = (
        build(project(text, BY_WINDOW.format("v", "", "ticks", f"'{seconds} seconds'")))
        for text, seconds in ((LAZY, 5), (LAZY, 10), (LAZY.replace("WINDOWS LAZY", ""), 10))
    )
    assert len({catalog.versions["ticks"] for catalog in (short, long, none)}) == 3
