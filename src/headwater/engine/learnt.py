"""What earlier runs learnt about how long pushes take, read back from the pushes table.

A Spark action is one lesson: the stages it pushed together, what they had to do, and the seconds it took.
Rows of one action share its name and each tell the whole duration.  A run starts with these lessons instead
of the prior, and `headwater plan` estimates with them; both see the same.  Only the newest lessons count,
as in a run that never ended, so the cost is one fit for every set of stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pyarrow.compute as pc

from headwater.sharing.time_model import KEEP, Effort, Observation, TimeModel
from headwater.storage.journal import PUSHES, read_rows
from headwater.storage.warehouse import Warehouse

__all__ = ["Learnt", "Lesson", "learnt", "lessons", "of_stages"]

NEWEST = 20_000  # rows: hours of a busy project


@dataclass(frozen=True, slots=True)
class Lesson:
    """An action that pushed something."""

    incremental: bool
    efforts: Mapping[str, Effort]  # by stage
    cpu_seconds: Mapping[str, float]
    seconds: float

    @property
    def effort(self) -> Effort:
        every = self.efforts.values()
        return Effort(
            sum(one.changed for one in every),
            sum(one.scanned for one in every),
            sum(one.result for one in every),
            len(self.efforts),
        )

    def share(self, stage: str) -> float:
        """The part of the action's seconds that a stage's CPU answers for."""
        total = sum(self.cpu_seconds.values())
        return self.cpu_seconds[stage] / total if total > 0 else 1 / len(self.efforts)


@dataclass(frozen=True, slots=True)
class Learnt:
    """Models to start with: of stages pushed in one action, of recomputing a stage, and of any action."""

    joint: Mapping[frozenset[str], TimeModel] = field(default_factory=dict)
    full: Mapping[str, TimeModel] = field(default_factory=dict)
    usual: TimeModel = TimeModel()


def learnt(warehouse: Warehouse) -> Learnt:
    """What a run of this project may start with."""
    every = lessons(warehouse)
    usual = _fitted(TimeModel(), [one for one in every if one.incremental])
    joint: dict[frozenset[str], list[Lesson]] = {}
    full: dict[str, list[Lesson]] = {}
    for one in every:
        if one.incremental:
            joint.setdefault(frozenset(one.efforts), []).append(one)
        else:
            full.setdefault(min(one.efforts), []).append(one)
    return Learnt(
        {names: _fitted(usual.as_prior(), some) for names, some in joint.items()},
        {name: _fitted(usual.as_prior(), some) for name, some in full.items()},
        usual,
    )


def _fitted(start: TimeModel, some: Sequence[Lesson]) -> TimeModel:
    return _taught(start, [Observation(one.effort, one.seconds) for one in some])


def _taught(start: TimeModel, seen: Sequence[Observation]) -> TimeModel:
    """As if `start` had learnt one after the other; only the last fit is needed."""
    if not seen:
        return start
    *before, last = seen[-KEEP:]
    known = TimeModel(tuple(before), prior=start.prior)
    return known.learn(last.effort, timedelta(seconds=last.seconds))


def of_stages(every: Iterable[Lesson]) -> dict[str, tuple[TimeModel, TimeModel]]:
    """For each stage, as if pushed by itself: a model of its delta and one of recomputing it.

    A way that was never seen starts from what the other one taught.
    """
    seen: dict[str, tuple[list[Observation], list[Observation]]] = {}
    for one in every:
        for stage, effort in one.efforts.items():
            ways = seen.setdefault(stage, ([], []))
            ways[0 if one.incremental else 1].append(Observation(effort, one.seconds * one.share(stage)))
    return {stage: _both(*ways) for stage, ways in seen.items()}


def _both(deltas: Sequence[Observation], anew: Sequence[Observation]) -> tuple[TimeModel, TimeModel]:
    incremental, full = _taught(TimeModel(), deltas), _taught(TimeModel(), anew)
    if not deltas:
        return full.as_prior(), full
    return incremental, full if anew else incremental.as_prior()


def lessons(warehouse: Warehouse) -> tuple[Lesson, ...]:
    """The actions that pushed something, oldest first."""
    table = read_rows(warehouse.system("pushes"), PUSHES)
    did = pc.field("mode").isin(["initial", "incremental", "full"])
    good = table.filter(did & ((pc.field("error") == "") | pc.field("error").is_null()))
    actions: dict[str, list[dict[str, Any]]] = {}
    newest = good.slice(max(0, good.num_rows - NEWEST)).to_pylist()
    for number, row in enumerate(newest):
        actions.setdefault(row["action"] or f"#{number}", []).append(row)
    return tuple(_lesson(rows) for rows in actions.values())


def _lesson(rows: Sequence[Mapping[str, Any]]) -> Lesson:
    return Lesson(
        rows[0]["mode"] == "incremental",
        {row["stage"]: Effort(row["changed_rows"], row["scanned_rows"], row["result_rows"]) for row in rows},
        {row["stage"]: row["cpu_seconds"] for row in rows},
        rows[0]["seconds"],
    )
