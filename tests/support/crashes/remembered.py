"""What was read before: a warehouse is opened thousands of times, and most of its tables are as they were.

What a log says follows from the contents of its files; of drafts and of what delta-rs stages it matters only that they are
there.  A data file has a name of its own and is written once, so its name and its size tell what it holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from headwater.storage import published, timeline
from headwater.storage.delta.loaded_table import LoadedTable
from headwater.storage.delta.log_commits import log_file
from headwater.storage.delta.reading import read_files

__all__ = ["remembered_files", "remembered_logs"]

MOST = 2_000  # logs, or reads of files; then all are read anew


def remembered_logs() -> Iterator[tuple[Any, str, Any]]:
    """What reads a log, with what to put in its place."""
    load = LoadedTable.__dict__["load"].__func__
    known: dict[tuple[object, ...], LoadedTable] = {}

    def remembered(owner: type[LoadedTable], path: str) -> LoadedTable:
        key = (path, *_files(os.path.join(path, "_delta_log")))
        if key not in known:
            if len(known) >= MOST:
                known.clear()
            known[key] = replace(load(owner, path))
            known[key]._table = Remembered(known[key]._table)  # type: ignore[assignment]
        table = known[key]
        status = os.stat(log_file(path, table.snapshot.version))
        return replace(
            table, _files=dict(table._files), _transactions=dict(table._transactions),
            _written=(status.st_ino, status.st_mtime_ns),
        )  # fmt: skip

    yield LoadedTable, "load", classmethod(remembered)


def remembered_files() -> Iterator[tuple[Any, str, Any]]:
    """What reads data files, with what to put in its place."""
    known: dict[tuple[object, ...], pa.Table] = {}

    def read(
        paths: Sequence[str], schema: pa.Schema, columns: Sequence[str] | None = None, where: Any = None
    ) -> pa.Table:
        files = tuple((path, os.path.getsize(path) if os.path.exists(path) else -1) for path in paths)
        key = (files, schema, None if columns is None else tuple(columns), str(where))
        if key not in known:
            if len(known) >= MOST:
                known.clear()
            known[key] = read_files(paths, schema, columns, where)
        return known[key]

    for module in (timeline, published):
        yield module, "read_files", read


class Remembered:
    """A table of delta-rs that answers a question once."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._transactions: dict[str, int | None] = {}

    def transaction_version(self, application: str) -> int | None:
        if application not in self._transactions:
            self._transactions[application] = self._table.transaction_version(application)
        return self._transactions[application]


def _files(log: str) -> list[tuple[str, bytes]]:
    if not os.path.isdir(log):
        return []
    return sorted((_name(entry.name), _content(entry)) for entry in os.scandir(log))


def _name(name: str) -> str:
    return "draft" if name.startswith("_commit_") else name


def _content(entry: os.DirEntry[str]) -> bytes:
    if not entry.is_file() or entry.name.startswith("_commit_") or entry.name.endswith("#1"):
        return b""
    with open(entry.path, "rb") as file:
        return file.read()
