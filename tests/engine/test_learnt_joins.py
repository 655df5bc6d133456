"""How results of rows that leave are looked for, by what pushes of an adapted join have shown."""

from __future__ import annotations

from math import inf

import pytest

from headwater.catalog import build
from headwater.engine.push.choosing.learnt_joins import LATELY, MANY_MATCHES, LearntJoin, LearntJoins
from headwater.model import Project
from headwater.overload.joins.adaptation.learn import Learnt
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.warehouse import Warehouse

DDL = "".join(f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, at TIMESTAMP TEMPORAL);" for name in "ab") + (
    "CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = INTERVAL '10' SECOND ON OVERLOAD ADAPT JOINS"
    " AS SELECT a.id FROM a JOIN b ON a.id = b.id;"
)
KEEP = 19_000_000  # microseconds: the window and the freshness
NOW = 10 * KEEP


def apart(matches: float, silent_ago: int, matched_ago: int = 0) -> bool:
    declared = resolve(parse_statements(DDL))
    tables, views = ({item.name: item for item in items} for items in (declared.tables, declared.views))
    project = Project("p", ".", ".", tables, views, {}, {})
    known = LearntJoin(
        ("a", "b"), Learnt((0, 1)), silent_at=NOW - silent_ago, matches=((NOW - matched_ago, matches),)
    )
    return LearntJoins({"v": known}).apart(project, Warehouse("."), build(project).kept["v"], NOW)


@pytest.mark.parametrize(
    ("matches", "silent_ago", "matched_ago", "expected"),
    [
        (MANY_MATCHES, KEEP, 0, True),
        (inf, KEEP, 0, True),  # not counted
        (MANY_MATCHES - 1, KEEP, 0, False),  # planning twelve joins takes longer than to find them
        (MANY_MATCHES, 2 * KEEP, 0, False),  # all rows that are stored probed
        (MANY_MATCHES, KEEP, 2 * KEEP, False),  # they are gone
    ],
)
def test_rows_that_leave_are_joined_apart_if_many_matches_were_not_found(
    matches: float, silent_ago: int, matched_ago: int, expected: bool
) -> None:
    assert apart(matches, silent_ago, matched_ago) is expected


def test_what_was_found_lately_is_the_most_of_the_last_pushes() -> None:
    made = tuple((at, float(found)) for at, found in enumerate([900, 5, 7, 6]))
    assert LATELY == 3
    assert LearntJoin(("a", "b"), Learnt((0, 1)), made=made).lately == 7
    assert LearntJoin(("a", "b"), Learnt((0, 1))).lately == 0
