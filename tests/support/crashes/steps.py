"""What processes do, step by step: random batches of writers; pushes, compaction, vacuum, audit and new definitions by a run."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headwater.capture.intake.token import Token
from support.crashes.accepted import Accepted, after
from support.crashes.processes import WRITERS, Processes

__all__ = ["Append", "Step", "Work", "random_append", "random_step"]

KEYS = 12
WRONG = {"id": "no number", "a": 1, "b": 1}


@dataclass(frozen=True, slots=True)
class Append:
    """A batch of a writer. With a token, some records may be wrong."""

    writer: int
    table: str
    records: tuple[Mapping[str, Any], ...]
    token: Token | None
    wrong: int = 0

    def do(self, processes: Processes, accepted: Accepted) -> None:
        """Append, and take note of what the writer is told."""
        wrong = [WRONG] * self.wrong
        appended = processes.writers[self.writer].append(self.table, [*self.records, *wrong], self.token)
        if appended.repeated:
            return
        assert (appended.accepted, appended.rejected) == (len(self.records), self.wrong), appended.reasons
        assert appended.time is not None
        self.happened(accepted, appended.time)

    def happened(self, accepted: Accepted, time: int) -> None:
        accepted.became(self.table, time, after(accepted.now(self.table), self.records))
        accepted.rejected += self.wrong


@dataclass(frozen=True, slots=True)
class Work:
    """What a run does: "push", "compact", "vacuum" or "audit"."""

    what: str
    views: tuple[str, ...] | None = None  # to push; None: all

    def do(self, processes: Processes, accepted: Accepted) -> None:
        run = processes.run
        match self.what:
            case "push":
                run.push(self.views)
            case "compact":
                run.compact()
            case "vacuum":
                run.vacuum()
            case "audit":
                run.audit()
            case other:
                raise AssertionError(other)


Step = Append | Work


def random_append(chance: random.Random, accepted: Accepted, number: int, writer: int) -> Append:
    """New rows, updates and deletions; each writer has keys of its own."""
    table = chance.choice(sorted(accepted.history))
    rows = accepted.now(table)
    keys = chance.sample(range(writer, KEYS, WRITERS), chance.randint(1, 4))
    records = tuple(_record(chance, key, key in rows) for key in keys)
    token = Token(f"writer {writer}", number) if chance.random() < 0.7 else None
    return Append(writer, table, records, token, int(token is not None and chance.random() < 0.2))


def _record(chance: random.Random, key: int, present: bool) -> dict[str, Any]:
    row = {"id": key, "a": chance.randint(0, 5), "b": chance.randint(0, 5)}
    if present:
        operation = chance.choice(["delete", "update", "upsert"])
        return {"op": operation, "row": {"id": key} if operation == "delete" else row}
    return chance.choice([row, {"op": "upsert", "row": row}])


def random_step(chance: random.Random, accepted: Accepted, number: int, views: tuple[str, ...]) -> Step:
    what = chance.choices(["append", "push", "compact", "vacuum", "audit"], [8, 5, 3, 2, 1])[0]
    if what == "append":
        return random_append(chance, accepted, number, chance.randrange(WRITERS))
    if what == "push" and chance.random() < 0.4:
        return Work("push", tuple(chance.sample(views, chance.randint(1, len(views)))))
    return Work(what)
