"""The law of windows of rows: what is shown is what a join shows that takes rows one by one.

Random joins, tolerances, allowances and changes.  By hand, rows come in the order of their times; each looks,
if it may, for partners among the last n rows of every other input that have come so far.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.tree import Literal
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.passes import optimize
from headwater.algebra.stages.adapting import only_probing, probing_stages
from headwater.catalog import keep
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.cases import scaled
from support.overload.row_windows import OneByOne, RowsJoin, probing_of
from support.overload.window_joins import START, Rows, random_changes, table_ddl

PARTS, JOINS, TURNS = 5, 30, 4


def random_join(chance: random.Random) -> RowsJoin:
    inputs, rows, apart = chance.randint(2, 4), chance.randint(1, 5), chance.random() < 0.5
    tables = tuple(chance.choice("abc") for _ in range(inputs))
    joined = f"{tables[0]} x0" + "".join(
        f" JOIN {name} x{index} ON x{index}.k = x{chance.randrange(index)}.k"
        for index, name in enumerate(tables[1:], start=1)
    )
    limits = ", ".join(f"x{index} = INTERVAL '{chance.choice([1, 5, 99])}' SECOND" for index in range(inputs))
    retain = "RETAIN INTERVAL '2' MINUTE" if chance.random() < 0.7 else ""
    listed = ", ".join(f"x{index}.id AS i{index}" for index in range(inputs))
    ddl = (
        "".join(map(table_ddl, "abc"))
        + f"CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = {rows} ROWS TOLERANCE ({limits})"
        + f" ON OVERLOAD ADAPT JOINS {retain} AS SELECT {listed} FROM {joined}"
        + (" WHERE x0.n <> x1.n" if apart else "")
    )
    declared = resolve(parse_statements(ddl))
    kept = keep(declared.views[0], {table.name: table.columns for table in declared.tables})
    return RowsJoin(kept, tables, rows, apart)


@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_what_is_shown_is_what_a_join_shows_that_takes_rows_one_by_one(part: int) -> None:
    filled = 0
    for seed in range(part * JOINS, (part + 1) * JOINS):
        chance = random.Random(seed)
        join = random_join(chance)
        change = delta(join.kept.stages[-1], probing_stages(join.kept))
        assert change is not None
        by_hand, shown = OneByOne(join), Counter[tuple[object, ...]]()
        rows: Rows = {name: [] for name in "abc"}
        enough = chance.random() < 0.4
        for turn in range(TURNS):
            at = START + timedelta(seconds=4 * turn + 2)
            random_changes(chance, rows, turn)
            old = [dict(held) for held in by_hand.held]
            by_hand.push(rows, at, [None if enough else chance.randint(0, 3) for _ in join.tables])
            database = by_hand.database(old)
            plan = only_probing(optimize(change), probing_stages(join.kept), Literal(at, ""))
            for row, weight in evaluate(plan, database).items():
                shown[row] += weight
            shown = Counter({row: weight for row, weight in shown.items() if weight})
            assert shown == Counter(tuple(row[0] for row in result) for result in by_hand.shown), seed
            last = join.kept.stages[-1].plan
            assert last is not None
            assert shown == Counter(dict(evaluate(last, database))), seed
            filled += bool(shown)
    assert filled > JOINS


def test_a_window_of_rows_is_declared_and_remembered() -> None:
    join = random_join(random.Random(1))
    window = probing_of(join.kept.stages[0])
    assert window.numbered
    assert replace(window, numbered=False) != window
    assert {"_number"} <= set(join.kept.stages[0].columns)
