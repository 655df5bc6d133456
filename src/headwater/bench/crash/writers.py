"""Writers: batches of inserts with an occasional delete, as processes of their own.

What a writer was told is in its log, one line a batch: the ids that were accepted, or the error.  After an
error it sends the same batch again, as the message advises; if that is refused because its keys are taken,
the error was wrong.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import psycopg

from headwater.api import open as open_project
from headwater.errors import HeadwaterError

__all__ = ["BATCH", "GENERATION", "Told", "told", "write_forever"]

BATCH = 20
GENERATION = 1_000_000  # a writer's process numbers its rows from its generation times this
PAUSE_S = 0.2  # enough for every fault to meet writes; what is verified after each grows with the rows
RETRY_S = 0.5

Rows = list[dict[str, Any]]
Write = Callable[[Rows], int]  # returns how many rows were refused because they were there


@dataclass(frozen=True, slots=True)
class Told:
    """What the writers of a table were told."""

    accepted: frozenset[int]
    errors: tuple[str, ...]
    wrong_errors: int  # batches reported as failed that were stored


def write_forever(target: str, table: str, log: str, generation: int) -> None:
    """Batch after batch, to a project's folder or to PostgreSQL."""
    write = _to_postgres(target, table) if "://" in target else _to_project(target, table)
    chance = random.Random(generation)
    number = generation * GENERATION
    with open(log, "a") as answers:
        while True:
            ids = list(range(number, number + BATCH))
            number += BATCH
            rows = [_row(table, row_id, chance) for row_id in ids]
            if chance.random() < 0.3:
                rows.append({"op": "delete", "row": {"id": ids[0]}})
                ids = ids[1:]
            _write_until_accepted(write, rows, ids, answers)
            time.sleep(PAUSE_S)


def _to_project(folder: str, table: str) -> Write:
    project = open_project(folder)
    return lambda rows: project.ingest(table, rows).rejected


def _to_postgres(uri: str, table: str) -> Write:
    def write(rows: Rows) -> int:
        """Whether a commit that failed was one nobody knows: sent again, the batch is a repetition."""
        with psycopg.connect(uri) as connection:
            for change in rows:
                row = change.get("row", change)
                if change.get("op") == "delete":
                    connection.execute(f"DELETE FROM {table} WHERE id = %s", (row["id"],))
                else:
                    connection.execute(
                        f"INSERT INTO {table} VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                        tuple(row.values()),
                    )
        return 0

    return write


def _write_until_accepted(write: Write, rows: Rows, ids: list[int], answers: TextIO) -> None:
    """Send a batch until it is accepted, and note each answer."""
    while True:
        try:
            rejected = write(rows)
        except (HeadwaterError, psycopg.OperationalError) as error:
            _note(answers, {"error": str(error)})
            time.sleep(RETRY_S)
            continue
        _note(answers, {"accepted": ids, "stored before": rejected})
        return


def _note(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _row(table: str, number: int, chance: random.Random) -> dict[str, Any]:
    if table == "orders":
        return {"id": number, "customer": chance.randrange(40), "amount": chance.randrange(1000)}
    if table == "payments":
        return {"id": number, "order_id": number - GENERATION, "paid": chance.randrange(500)}
    # Orders are written by the generation before, at first: an item refers to the order written beside it.
    return {"id": number, "order_id": number - GENERATION, "quantity": chance.randrange(9)}


def told(logs: Iterable[Path]) -> Told:
    """What writers were told up to now; a last line that is not complete was never told."""
    accepted: set[int] = set()
    errors: list[str] = []
    wrong = 0
    for log in logs:
        lines = log.read_text().split("\n")[:-1] if log.exists() else []
        for answer in map(json.loads, lines):
            accepted.update(answer.get("accepted", ()))
            errors += [answer["error"]] if "error" in answer else []
            wrong += answer.get("stored before", 0) > 0
    return Told(frozenset(accepted), tuple(errors), wrong)
