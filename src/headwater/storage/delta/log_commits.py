"""Commits of a Delta log as the protocol writes them: one JSON file per version, one action per line.

    00000000000000000012.json
      {"commitInfo": {...}}
      {"txn": {"appId": "headwater", "version": 1763251200000000}}
      {"add": {"path": "...parquet", "partitionValues": {"_time": "..."}, "size": 812, "stats": "{...}"}}

delta-rs creates tables, loads them and writes checkpoints.  The commits in between are written and
read here, because delta-rs replays the log since the last checkpoint at each of them: measured 20 to 60 ms of
CPU a commit, against half a millisecond here, and a push of 25 views makes fifty.

A version is written by linking a finished file to its name, which fails if the name is taken: a commit is
visible as a whole or not at all, and two writers cannot both have a version.
"""

from __future__ import annotations

import json
import logging
import os
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa

from headwater.errors import HeadwaterError
from headwater.storage.delta.durable import opened
from headwater.storage.delta.statistics import START, is_window

__all__ = [
    "Commit",
    "actions_of",
    "damaged",
    "empty_commit",
    "has_versions",
    "log_file",
    "read_commit",
    "torn_commit",
    "typed_statistics",
    "write_commit",
]

logger = logging.getLogger(__name__)

_VERSION = re.compile(r"\d{20}\.(json|checkpoint\.(.+\.)?parquet)")


@dataclass(frozen=True, slots=True)
class Commit:
    """What a version changed. `alters`: it may have changed the schema, so the table must be loaded again."""

    added: Sequence[Mapping[str, Any]] = ()
    removed: Sequence[str] = ()
    transactions: Mapping[str, int] = field(default_factory=dict)
    alters: bool = False


def log_file(table: str, version: int) -> str:
    return f"{table}/_delta_log/{version:020d}.json"  # asked for many times in a push


def has_versions(table: str) -> bool:
    """Whether there is a table: whoever is killed while creating one leaves a log without any version."""
    try:
        with os.scandir(os.path.join(table, "_delta_log")) as entries:
            return any(_VERSION.fullmatch(entry.name) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return False


def write_commit(
    table: str, version: int, actions: Iterator[Mapping[str, Any]], durable: bool = False
) -> bool:
    """Write a version. False if another writer has it already.

    `durable`: it outlasts a power cut, complete, once this returns.
    """
    target = log_file(table, version)
    draft = os.path.join(table, "_delta_log", f"_commit_{uuid.uuid4().hex}.json.tmp")
    try:
        with open(draft, "w", encoding="utf-8") as file, opened(os.path.dirname(target), durable) as folder:
            file.writelines(json.dumps(action) + "\n" for action in actions)
            if folder is not None:
                file.flush()
                os.fsync(file.fileno())
            else:
                file.close()
            os.link(draft, target)
            if folder is not None:
                _sync_committed(folder, table, version)
    except FileExistsError:
        return False
    finally:
        _remove(draft)
    return True


def _sync_committed(folder: int, table: str, version: int) -> None:
    """The version counts from now on, so what fails here must not be taken for a commit that failed."""
    try:
        os.fsync(folder)
    except OSError as error:
        raise HeadwaterError(
            "HW806",
            f"version {version} of {table} is stored, but may not outlast a power cut",
            detail=f"Its folder cannot be synced to the disk: {error}",
            hint="Do not send the same records again. Look after the disk.",
        ) from error


def _remove(draft: str) -> None:
    """Remove a draft; one that stays is no part of the table, and the commit counts all the same."""
    try:
        os.unlink(draft)
    except OSError:
        logger.warning("%s cannot be removed", draft, exc_info=True)


def read_commit(table: str, version: int) -> Commit | None:
    """A version, or None if its file does not exist (yet, or any more)."""
    added: list[Mapping[str, Any]] = []
    removed: list[str] = []
    transactions: dict[str, int] = {}
    alters, empty = False, True
    try:
        with open(log_file(table, version), encoding="utf-8") as file:
            for line in filter(str.strip, file):
                empty = False
                match json.loads(line):
                    case {"add": add}:
                        added.append(add | {"path": unquote(add["path"])})
                    case {"remove": remove}:
                        removed.append(unquote(remove["path"]))
                    case {"txn": transaction}:
                        transactions[transaction["appId"]] = transaction["version"]
                    case {"metaData": _} | {"protocol": _}:
                        alters = True
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(table, f"version {version} is not complete: {error}") from error
    if empty:
        raise damaged(table, f"version {version} of its log is empty")
    return Commit(added, removed, transactions, alters)


def empty_commit(table: str) -> int | None:
    """The first commit since the last checkpoint that is empty: delta-rs would take it for one of no rows."""
    names = [name for name in os.listdir(os.path.join(table, "_delta_log")) if _VERSION.fullmatch(name)]
    checkpoint = max((int(name[:20]) for name in names if not name.endswith(".json")), default=-1)
    commits = sorted(int(name[:20]) for name in names if name.endswith(".json"))
    later = (version for version in commits if version > checkpoint)
    return next((version for version in later if _is_empty(log_file(table, version))), None)


def _is_empty(file: str) -> bool:
    try:
        return os.stat(file).st_size == 0
    except FileNotFoundError:  # a checkpoint stands for it by now
        return False


def torn_commit(table: str) -> str:
    """What is wrong with the first commit that is not complete: delta-rs does not say which it is."""
    for name in sorted(os.listdir(os.path.join(table, "_delta_log"))):
        if _VERSION.fullmatch(name) and name.endswith(".json"):
            try:
                read_commit(table, int(name.removesuffix(".json")))
            except HeadwaterError as error:
                return f"_delta_log/{name} is torn: {error.detail}"
    return ""


def damaged(table: str, what: str) -> HeadwaterError:
    """A log that cannot be read, as a power cut or a full disk may leave it."""
    return HeadwaterError(
        "HW805",
        f"the log of {table} is damaged",
        detail=what,
        hint="What views need is computed anew by the next run. Restore a source from a backup.",
    )


def actions_of(
    now: int,
    note: Mapping[str, str],
    transactions: Mapping[str, int],
    added: Sequence[tuple[str, int, Mapping[str, str], str]],
    removed: Sequence[tuple[str, int, Mapping[str, str]]],
    changes: bool,
    definition: Sequence[Mapping[str, Any]] = (),
) -> Iterator[Mapping[str, Any]]:
    """The lines of a commit. Files are (path, size, partition values), added ones also have statistics."""
    info = {"operation": "WRITE", "operationParameters": {"mode": "Append"}, "engineInfo": "headwater"}
    yield {"commitInfo": {"timestamp": now, **info, **note}}
    yield from definition
    for name, number in transactions.items():
        yield {"txn": {"appId": name, "version": number, "lastUpdated": now}}
    for path, size, partition, statistics in added:
        yield {
            "add": {
                "path": quote(path), "partitionValues": dict(partition), "size": size,
                "modificationTime": now, "dataChange": changes, "stats": statistics,
            }
        }  # fmt: skip
    for path, size, partition in removed:
        yield {
            "remove": {
                "path": quote(path), "deletionTimestamp": now, "dataChange": changes,
                "extendedFileMetadata": True, "partitionValues": dict(partition), "size": size,
            }
        }  # fmt: skip


Statistics = tuple[int, dict[str, Any], dict[str, Any], dict[str, int]]


def typed_statistics(add: Mapping[str, Any], schema: pa.Schema) -> Statistics:
    """Row count, least and greatest values and null counts of an added file, typed as the table's columns."""
    statistics = json.loads(add.get("stats") or "{}")
    least = _typed(statistics.get("minValues", {}), schema)
    greatest = _typed(statistics.get("maxValues", {}), schema)
    for name, text in add.get("partitionValues", {}).items():
        least[name] = greatest[name] = None if text is None else _parsed(text, schema.field(name).type)
    counts = _flat(statistics.get("nullCount", {}))
    nulls = {name: count for name, count in counts.items() if isinstance(count, int)}
    return statistics.get("numRecords", 0), least, greatest, nulls


def _typed(values: Mapping[str, Any], schema: pa.Schema) -> dict[str, Any]:
    typed = {}
    for name, value in _flat(values).items():
        at = schema.get_field_index(name.removesuffix(f".{START}"))
        kind = schema.field(at).type if at >= 0 else None
        if kind is not None and is_window(kind) and name.endswith(f".{START}"):
            typed[name] = _parsed(value, kind.field(START).type)
        elif schema.get_field_index(name) >= 0 and not isinstance(value, dict):
            typed[name] = _parsed(value, schema.field(name).type)
    return typed


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Statistics by column; the start of a window by `column.start`."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{START}": value[START]} if START in value else {}
        else:
            flat[name] = value
    return flat


def _parsed(value: Any, kind: pa.DataType) -> Any:
    """The value as Python has it; None if it cannot have it, such as a year after 9999."""
    try:
        return _converted(value, kind)
    except (ValueError, OverflowError, ArithmeticError, TypeError):
        return None


def _converted(value: Any, kind: pa.DataType) -> Any:
    if pa.types.is_timestamp(kind):
        return datetime.fromisoformat(value)
    if pa.types.is_date(kind):
        return date.fromisoformat(value)
    if pa.types.is_decimal(kind):
        return Decimal(str(value))
    if pa.types.is_integer(kind):
        return int(value)
    return value
