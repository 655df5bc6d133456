"""The law of adapted joins, as a run sees it: real timelines, the engine's own queries, everything at once.

Random joins of two to four inputs, of a table with itself, too; rows whose ages are exactly the window, the tolerance or what
is retained, rows of equal times, late ones, rows of the future, without a time, in no order; updates and deletes; several
commits between two pushes and several pushes within a window; budgets from none to plenty and back; watermarks that
are behind; inputs that are pushed while the view is not, because a push is killed before any of its commits; sources
that are compacted, expired or forget their history.

After each push what is stored and shown is what a join run by hand stores and shows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from headwater.algebra.stages.stage import Kept, Stage
from headwater.engine.push import pusher
from headwater.engine.push.choosing import learnt_joins
from headwater.engine.push.decide import Job
from headwater.engine.upkeep import compaction
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.cases import scaled
from support.overload.adapted_by_hand import ByHand, Inputs, probing_of, with_marks
from support.overload.live_joins import Live, instant, live_for
from support.overload.spark_in_duckdb import PushesInDuckDb
from support.overload.window_joins import WindowJoin, by_duckdb

PARTS, RUNS, STEPS = 2, 5, 16


def joined(chance: random.Random) -> tuple[str, WindowJoin]:
    """All lengths are whole seconds, as are the times of rows and pushes: ages meet them exactly."""
    tables = [chance.choice("abc") for _ in range(chance.choice([2, 2, 3, 3, 4]))]
    aliases = [f"x{index}" for index in range(len(tables))]
    text = f"{tables[0]} x0"
    for index in range(1, len(tables)):
        partner = chance.randrange(index)
        more = chance.choice(["", "", f" AND x{index}.n <> x{partner}.n"])
        # All columns of all inputs are read: an update of one that is not would be none to the join.
        more += f" AND x{index}.n >= 0 AND x0.n >= 0"
        text += f" JOIN {tables[index]} x{index} ON x{index}.k = x{partner}.k{more}"
    window = chance.choice([1, 2, 4, 6])
    limits = [window + chance.choice([0, 0, 1, 3, 9]) for _ in tables]
    retain = chance.choice(["", f"RETAIN INTERVAL '{max(limits) + chance.choice([0, 1, 5, 20])}' SECOND"])
    listed = ", ".join(f"{alias}.id AS i{index}" for index, alias in enumerate(aliases))
    tolerances = ", ".join(
        f"{alias} = INTERVAL '{limit}' SECOND" for alias, limit in zip(aliases, limits, strict=True)
    )
    expires = chance.choice(["", " RETAIN INTERVAL '25' SECOND"])
    ddl = "".join(
        f"CREATE TABLE {name} (id BIGINT PRIMARY KEY, k BIGINT, n BIGINT, ts TIMESTAMP TEMPORAL){expires};\n"
        for name in "abc"
    )
    ddl += (
        f"CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = INTERVAL '{window}' SECOND"
        f" TOLERANCE ({tolerances}) ON OVERLOAD ADAPT JOINS {retain} AS SELECT {listed} FROM {text};"
    )
    declared = resolve(parse_statements(ddl))
    near = " AND ".join(
        [
            f"greatest({', '.join(f'{alias}.ts' for alias in aliases)}) - INTERVAL '{window}' SECOND"
            f" <= least({', '.join(f'{alias}.ts' for alias in aliases)})",
            *(f"{alias}.ts IS NOT NULL" for alias in aliases),
        ]
    )
    join = WindowJoin(
        {table.name: table for table in declared.tables}, declared.views[0], tuple(aliases), tuple(tables),
        f"SELECT {listed} FROM {text} WHERE {near}",
    )  # fmt: skip
    return ddl, join


@dataclass
class LiveJoin(Live):
    join: WindowJoin = field(init=False)
    inputs: Inputs = field(init=False)
    by_hand: ByHand = field(init=False)

    def ddl(self) -> str:
        ddl, self.join = joined(self.chance)
        return ddl

    def begin(self, kept: Kept) -> None:
        self.inputs, self.by_hand = Inputs(kept.stages[:-1]), ByHand(self.join, kept)

    def follow(self, until: int, done: Sequence[Job]) -> None:
        self.inputs.push(
            {name: list(self.state(name, until)) for name in "abc"},
            dict(zip(self.join.aliases, self.join.names, strict=True)),
            instant(until),
            {probing_of(job.stage).stream: job.budget.units for job in done},
        )
        self.by_hand.push(self.inputs, instant(until))

    def stored_by_hand(self, stage: Stage, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
        return Counter(with_marks(names, self.inputs.stored.get(probing_of(stage).stream, {})))

    def shown_by_hand(self) -> Counter[tuple[Any, ...]]:
        results = Counter(tuple(row[0] for row in found) for found in self.by_hand.shown)
        time = self.warehouse.stage(self.catalog.folder("v")).time()
        exact = by_duckdb(self.join.matches, {name: list(self.state(name, time)) for name in "abc"})
        assert not results - exact
        return results


@pytest.fixture
def pushes(monkeypatch: pytest.MonkeyPatch) -> PushesInDuckDb:
    pushes = PushesInDuckDb()
    monkeypatch.setattr(pusher, "run_action", pushes)
    monkeypatch.setattr(compaction, "MANY_FILES", 3)
    monkeypatch.setattr(compaction, "MANY_UNREAD", 3)
    return pushes


@pytest.mark.slow
@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_what_a_run_shows_is_what_a_join_run_by_hand_shows(
    part: int, tmp_path: Path, pushes: PushesInDuckDb, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = 0
    for seed in range(part * RUNS, (part + 1) * RUNS):
        # Results of rows that leave are looked for in two ways, by how many there may be.
        monkeypatch.setattr(learnt_joins, "MANY_MATCHES", 0 if seed % 2 else 10)
        live = LiveJoin(tmp_path / str(seed), random.Random(seed), pushes)
        try:
            filled += live_for(live, STEPS, forgetful=seed % 4 == 0)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
    assert filled >= RUNS // 2, "too few pushes showed something"
