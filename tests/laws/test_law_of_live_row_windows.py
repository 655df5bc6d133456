"""The law of windows of rows, as a run sees it: real timelines and the engine's own queries (test_law_of_live_joins.py).

What is stored, with the numbers of rows and what each saw, and what is shown is what a join stores and shows that takes
rows one by one.  A push is killed before all of its commits, or before that of the view.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from headwater.algebra.stages.stage import Kept, Stage
from headwater.engine.push import pusher
from headwater.engine.push.decide import Job
from headwater.engine.upkeep import compaction
from support.cases import scaled
from support.overload.live_joins import Live, instant, live_for
from support.overload.row_windows import OneByOne, RowsJoin, probing_of
from support.overload.spark_in_duckdb import PushesInDuckDb
from support.overload.window_joins import table_ddl

PARTS, RUNS, STEPS = 1, 5, 16


@dataclass
class LiveRows(Live):
    names: tuple[str, ...] = ()
    rows_in_window: int = 1
    one_by_one: OneByOne = field(init=False)

    def ddl(self) -> str:
        self.names = tuple(self.chance.choice("abc") for _ in range(self.chance.choice([2, 2, 3])))
        self.rows_in_window = self.chance.randint(1, 6)
        text = f"{self.names[0]} x0" + "".join(
            f" JOIN {name} x{index} ON x{index}.k = x{self.chance.randrange(index)}.k AND x{index}.n >= 0"
            for index, name in enumerate(self.names[1:], start=1)
        )
        limits = [self.chance.choice([1, 5, 30]) for _ in self.names]
        tolerances = ", ".join(f"x{index} = INTERVAL '{limit}' SECOND" for index, limit in enumerate(limits))
        retain = self.chance.choice(["", f"RETAIN INTERVAL '{max(limits) + 5}' SECOND"])
        listed = ", ".join(f"x{index}.id AS i{index}" for index in range(len(self.names)))
        return "".join(map(table_ddl, "abc")) + (
            f"CREATE MATERIALIZED VIEW v FRESHNESS = '9 seconds' WINDOW = {self.rows_in_window} ROWS"
            f" TOLERANCE ({tolerances}) ON OVERLOAD ADAPT JOINS {retain}"
            f" AS SELECT {listed} FROM {text} WHERE x0.n >= 0"
        )

    def begin(self, kept: Kept) -> None:
        self.one_by_one = OneByOne(RowsJoin(kept, self.names, self.rows_in_window, apart=False))

    def survives(self) -> int | None:
        return self.chance.choice([None, None, 0, len(self.names)])

    def follow(self, until: int, done: Sequence[Job]) -> None:
        units = {probing_of(job.stage).stream: job.budget.units for job in done}
        rows = {name: list(self.state(name, until)) for name in "abc"}
        allowances = [units[f"x{index}"] for index in range(len(self.names))]
        self.one_by_one.push(rows, instant(until), allowances)

    def stored_by_hand(self, stage: Stage, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
        held = self.one_by_one.held[probing_of(stage).place]
        told = (dict(zip(("id", "k", "n", "ts"), row, strict=True)) | marks for row, marks in held.items())
        return Counter(tuple(_stored(row[name]) for name in names) for row in told)

    def shown_by_hand(self) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(row[0] for row in result) for result in self.one_by_one.shown)


def _stored(value: object) -> object:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


@pytest.mark.slow
@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_what_a_run_shows_is_what_a_join_shows_that_takes_rows_one_by_one(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushes = PushesInDuckDb()
    monkeypatch.setattr(pusher, "run_action", pushes)
    monkeypatch.setattr(compaction, "MANY_FILES", 3)
    monkeypatch.setattr(compaction, "MANY_UNREAD", 3)
    filled = 0
    for seed in range(part * RUNS, (part + 1) * RUNS):
        live = LiveRows(tmp_path / str(seed), random.Random(seed), pushes)
        try:
            filled += live_for(live, STEPS, forgetful=seed % 4 == 0)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
    assert filled >= RUNS // 2, "too few pushes showed something"
