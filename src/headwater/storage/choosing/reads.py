"""Reads of keys, noted by whoever answers them and learnt by the run that chooses among updates.

    reads/<table>.jsonl     lines that readers append, [microseconds, [[key, ...], reads], ...]
    reads/<table>.old.jsonl what was there before it grew too long: at most two such files
    reads/<table>.json      what has been learnt from lines: it outlasts a restart

A note is one append of a few kilobytes without a lock, from any process.  The run takes the files away before
it reads them, so a line is learnt once; one that is written at that very moment may be lost, and then a read
has not counted.  A torn line is skipped.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from headwater.overload.updates.choosing.reads import Key, Noted, Reads, learn_reads
from headwater.storage.replace_text import replace_text
from headwater.storage.warehouse import Warehouse

__all__ = ["known_reads", "learn_noted", "note_reads"]

LONGEST = 256_000  # bytes

logger = logging.getLogger(__name__)


def note_reads(warehouse: Warehouse, table: str, counts: Mapping[Key, float], at: int) -> None:
    """Append what was read; OSError where that is not allowed."""
    path = _path(warehouse, table, ".jsonl")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    line = json.dumps([at, *([list(key), count] for key, count in counts.items())]) + "\n"
    with open(path, "a", encoding="utf-8") as file:
        file.write(line)
        long = file.tell() > LONGEST
    if long:
        with suppress(FileNotFoundError):  # another reader or the run was faster
            os.replace(path, _path(warehouse, table, ".old.jsonl"))


def known_reads(warehouse: Warehouse, table: str) -> Reads:
    """What has been learnt; nothing if that cannot be read."""
    try:
        with open(_path(warehouse, table, ".json"), encoding="utf-8") as file:
            at, *counts = json.load(file)
        return Reads(int(at), {tuple(key): float(count) for key, count in counts})
    except FileNotFoundError:
        return Reads()
    except (OSError, ValueError, TypeError) as error:
        logger.warning("what was learnt from reads of %s cannot be read and is forgotten: %s", table, error)
        return Reads()


def learn_noted(warehouse: Warehouse, table: str, now: int) -> Reads:
    """What is known, with all that was noted since. Only the run may call this."""
    known = known_reads(warehouse, table)
    reads = learn_reads(known, list(_taken(warehouse, table)), now)
    if reads.counts or known.counts:
        path = _path(warehouse, table, ".json")
        replace_text(path, json.dumps([reads.at, *([list(key), n] for key, n in reads.counts.items())]))
    return reads


def _taken(warehouse: Warehouse, table: str) -> Iterator[Noted]:
    """The notes there are, which are then gone."""
    for ending in (".old.jsonl", ".jsonl"):
        path = _path(warehouse, table, ending)
        try:
            os.replace(path, f"{path}.taken")
        except FileNotFoundError:
            continue
        with open(f"{path}.taken", encoding="utf-8", errors="replace") as file:
            yield from (note for line in file if (note := _note(line, table)) is not None)
        os.unlink(f"{path}.taken")


def _note(line: str, table: str) -> Noted | None:
    try:
        at, *counts = json.loads(line)
        return Noted(int(at), {tuple(map(str, key)): float(count) for key, count in counts})
    except (ValueError, TypeError):
        logger.info("a note about reads of %s is torn and does not count", table)
        return None


def _path(warehouse: Warehouse, table: str, ending: str) -> str:
    return os.path.join(warehouse.root, "reads", table + ending)
