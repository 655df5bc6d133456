"""The law of window joins: kept by deltas, a view with a WINDOW holds what its definition says.

The definition, all rows within the window of the newest of them, is put to DuckDB as it is said, with greatest and least
and without the pairwise conditions that Headwater makes of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.oracle.evaluate import Database, evaluate
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Version
from headwater.catalog import keep
from headwater.model import Column
from headwater.planning.relations.sharings import block_of
from headwater.sql.translate import translate
from support.cases import scaled
from support.overload.window_joins import Rows, WindowJoin, by_duckdb, random_changes, random_join

PARTS, JOINS, TURNS = 5, 20, 3


def columns_of(join: WindowJoin) -> dict[str, Sequence[Column]]:
    return {name: table.columns for name, table in join.tables.items()}


def versions(join: WindowJoin, old: Rows, new: Rows) -> Database:
    """The tables before, after, and what happened in between."""
    database: Database = {}
    for name, table in join.tables.items():
        before, after = Counter(old[name]), Counter(new[name])
        change = {row: after[row] - before[row] for row in {*before, *after} if after[row] != before[row]}
        for version, held in ((Version.OLD, before), (Version.NEW, after), (Version.DELTA, change)):
            database[name, version] = (table.column_names, dict(held))
    return database


@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_a_window_join_kept_by_deltas_is_what_its_definition_says(part: int) -> None:
    filled = 0
    for seed in range(part * JOINS, (part + 1) * JOINS):
        chance = random.Random(seed)
        join = random_join(chance)
        translated = translate(join.view, columns_of(join))
        assert translated.plan is not None
        change = delta(translated.plan, frozenset(join.tables))
        assert change is not None
        rows: Rows = {name: [] for name in join.tables}
        shown: Counter[tuple[object, ...]] = Counter()
        for turn in range(TURNS):
            old = {name: list(held) for name, held in rows.items()}
            random_changes(chance, rows, turn)
            for row, weight in evaluate(optimize(change), versions(join, old, rows)).items():
                shown[row] += weight
            shown = Counter({row: weight for row, weight in shown.items() if weight})
            assert shown == by_duckdb(join.matches, rows), (seed, join.view.sql.text)
            filled += bool(shown)
    assert filled > JOINS * TURNS // 4  # it is not about nothing


def test_a_window_join_is_planned_and_shared_as_a_join() -> None:
    """Its conditions cannot fail, so it has a block like any join."""
    for seed in range(20):
        join = random_join(random.Random(seed))
        kept = keep(join.view, columns_of(join))
        types = {
            name: {column.name: column.type for column in table.columns}
            for name, table in join.tables.items()
        }
        block = block_of(kept, types)
        if "n < " in join.view.sql.text:  # n + 2 may overflow
            continue
        assert block is not None
        assert len(block.relation.conditions) >= len(join.aliases)
