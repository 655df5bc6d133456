"""Adapted joins run by hand: what their inputs store, and what is found when a row looks for partners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from headwater.algebra.oracle.evaluate import Database
from headwater.algebra.plans.nodes import Version
from headwater.algebra.stages.stage import Kept, Probing, Stage
from support.overload.window_joins import Row, Rows, WindowJoin, by_duckdb

__all__ = ["ByHand", "Inputs", "Result", "Stored", "database_of", "probing_of", "with_marks"]

Stored = dict[Row, tuple[datetime, bool]]  # a row of an input, when it came and whether it probed
Result = tuple[Row, ...]


@dataclass
class Inputs:
    """The recent rows of each input, kept by hand."""

    stages: Sequence[Stage]
    stored: dict[str, Stored] = field(default_factory=dict)

    def push(
        self,
        rows: Rows,
        names: dict[str, str],
        at: datetime,
        allowances: Mapping[str, int | None],
    ) -> None:
        """`allowances`: of the inputs that are committed; None: every row may probe."""
        for stage in self.stages:
            probing = probing_of(stage)
            if probing.stream not in allowances:
                continue
            held = self.stored.get(probing.stream, {})
            now = set(rows[names[probing.stream]])
            came = [
                row for row in now - held.keys() if row[3] is not None and row[3] >= at - probing.tolerance
            ]
            came.sort(key=lambda row: (row[3], row[0]))
            allowance = allowances[probing.stream]
            kept = {
                row: flags
                for row, flags in held.items()
                if row in now and row[3] is not None and row[3] >= at - probing.keep
            }
            for rank, row in enumerate(came):
                kept[row] = (at, allowance is None or rank < allowance)
            self.stored[probing.stream] = kept


def probing_of(stage: Stage) -> Probing:
    assert stage.probing is not None
    return stage.probing


def database_of(kept: Kept, old: dict[str, Stored], new: dict[str, Stored]) -> Database:
    database: Database = {}
    for stage in kept.stages[:-1]:
        stream = probing_of(stage).stream
        columns = ["id", "k", "n", "ts"]
        names = (*columns, "_pushed", "_probed")
        before, after = (
            {(*row, *flags): 1 for row, flags in state.get(stream, {}).items()} for state in (old, new)
        )
        change = {row: after.get(row, 0) - before.get(row, 0) for row in {*before, *after}}
        change = {row: weight for row, weight in change.items() if weight}
        for version, held in ((Version.OLD, before), (Version.NEW, after), (Version.DELTA, change)):
            database[stage.name, version] = (names, held)
    return database


@dataclass
class ByHand:
    """A join that is run by hand."""

    join: WindowJoin
    kept: Kept
    shown: set[Result] = field(default_factory=set)
    dropped: int = 0

    def push(self, inputs: Inputs, at: datetime) -> None:
        stored = [inputs.stored.get(alias, {}) for alias in self.join.aliases]
        self.shown = {
            result
            for result in self.shown
            if all(row in held for row, held in zip(result, stored, strict=True))
        }
        by_id = [{row[0]: row for row in held} for held in stored]
        tables = {f"{alias}_now": list(inputs.stored.get(alias, {})) for alias in self.join.aliases}
        for ids in by_duckdb(self.join.matches_of("_now"), tables):
            result = tuple(rows[number] for rows, number in zip(by_id, ids, strict=True))  # type: ignore[index]
            came = [index for index, row in enumerate(result) if stored[index][row][0] == at]
            if not came:
                continue
            fresh = all(
                row[3] is not None and row[3] >= at - probing_of(stage).tolerance
                for row, stage in zip(result, self.kept.stages, strict=False)
            )
            last = came[-1]
            if stored[last][result[last]][1] and fresh:
                self.shown.add(result)
            else:
                self.dropped += 1


def with_marks(names: Sequence[str], stored: Stored) -> dict[tuple[Any, ...], int]:
    """Stored rows in the order of their timeline's columns, with times as those have them."""
    columns = ("id", "k", "n", "ts", "_pushed", "_probed")
    order = [columns.index(name) for name in names]
    rows = ((*row, *marks) for row, marks in stored.items())
    return {tuple(_instant(row[at]) for at in order): 1 for row in rows}


def _instant(value: object) -> object:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
