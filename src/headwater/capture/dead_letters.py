"""Where rejected records go: one Delta table for all sources, so that nothing said to Headwater is lost.

    time     when it was rejected, in microseconds     table   the source it was meant for
    file     the file it came from, if any             line    its line there, from one
    record   its text as it came                       reason  why

Dead letters are committed before the accepted records of the same call, under the same token: a call that is
killed in between and retried writes neither twice.  A killed call without a token leaves its letters behind.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from headwater.capture.batch import Rejection
from headwater.capture.token import Token
from headwater.clock import Clock
from headwater.storage.parquet import write_parquet
from headwater.storage.timeline import new_file_name
from headwater.storage.warehouse import Warehouse

__all__ = ["DEAD_LETTERS", "bury"]

DEAD_LETTERS = "dead_letters"
LONGEST = 100_000  # characters kept of a record

_SCHEMA = pa.schema(
    [
        pa.field("time", pa.int64(), nullable=False),
        pa.field("table", pa.string(), nullable=False),
        pa.field("file", pa.string()),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("record", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
    ]
)


def bury(
    warehouse: Warehouse,
    table: str,
    rejected: Sequence[Rejection],
    clock: Clock,
    token: Token | None = None,
) -> None:
    """Write rejected records down; once, if there is a token."""
    if not rejected:
        return
    log = warehouse.system(DEAD_LETTERS)
    mine = None if token is None else Token(f"{table}/{token.writer}", token.sequence)
    with warehouse.clock(f"${DEAD_LETTERS}").turn() as turn:
        assert turn is not None
        log.create(_SCHEMA, "records that were rejected, with the reason")
        if mine is not None and mine.reached(log):
            return
        time = max(turn.take(clock.now()), log.time() + 1)
        written = write_parquet(log.path, new_file_name(time), _letters(table, rejected, time))
        log.commit(time, [written], transactions=mine.transactions() if mine else None)
        turn.store(time)


def _letters(table: str, rejected: Sequence[Rejection], time: int) -> pa.Table:
    count = len(rejected)
    return pa.table(
        {
            "time": [time] * count,
            "table": [table] * count,
            "file": pa.array([one.file for one in rejected], pa.string()),
            "line": [one.line for one in rejected],
            "record": [one.text[:LONGEST].encode(errors="replace").decode() for one in rejected],
            "reason": [one.reason for one in rejected],
        },
        schema=_SCHEMA,
    )
