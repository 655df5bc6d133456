"""What a power cut or a failing disk may have done to a table, as far as names and sizes tell."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass

from headwater.errors import HeadwaterError
from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.loaded_table import APPLICATION
from headwater.storage.delta.log_commits import log_file, read_commit

__all__ = ["DAMAGED", "TornCommit", "damage", "damaged_source", "damaged_stage", "torn_last_commit"]

DAMAGED = "HW805"

_COMMIT = re.compile(r"(\d{20})\.json")


def damage(log: DeltaLog) -> str:
    """What is wrong with a stored table; nothing if it is whole, or if there is none.

    A commit may have survived without the files it names, or as an empty or torn file itself.  File systems
    record a file's length after its bytes, so a file of the right length is taken for whole.
    """
    if not log.exists():
        return ""
    try:
        snapshot = log.snapshot()
    except HeadwaterError as error:
        return f"{error.message}: {error.detail}" if error.detail else error.message
    for file in snapshot.files:
        size = _size(file.path)
        if size is None:
            return f"{file.relative} is missing"
        if size != file.size:
            return f"{file.relative} has {size} of its {file.size} bytes"
    return ""


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None


def damaged_source(table: str, what: str) -> HeadwaterError:
    """There is no other copy of a source here."""
    return HeadwaterError(
        DAMAGED,
        f"source {table} is damaged: {what}",
        hint="Restore its folder in sources/ from a backup, then start the run again. Other sources go on.",
    )


def damaged_stage(stage: str, what: str) -> HeadwaterError:
    return HeadwaterError(
        DAMAGED, f"what is stored of {stage} is damaged: {what}", hint="The next run computes it anew."
    )


@dataclass(frozen=True, slots=True)
class TornCommit:
    """A newest commit that is not complete.

    `time`: what it brings the table to, or the earliest that can be if it does not say so any more.
    """

    version: int
    before: int  # the time of the table without it
    time: int


def torn_last_commit(path: str) -> TornCommit | None:
    """The newest commit of a table if it is torn, and those before it are not."""
    names = map(_COMMIT.fullmatch, os.listdir(os.path.join(path, "_delta_log")))
    versions = sorted(int(name[1]) for name in names if name is not None)
    if not versions or not _is_torn(path, versions[-1]):
        return None
    try:
        before = _time_before(path, versions)
    except HeadwaterError:
        return None
    stated = _stated_time(log_file(path, versions[-1]))
    return TornCommit(versions[-1], before, before + 1 if stated is None else stated)


def _is_torn(path: str, version: int) -> bool:
    try:
        read_commit(path, version)
    except HeadwaterError:
        return True
    return False


def _time_before(path: str, versions: list[int]) -> int:
    """The time of the newest commit before the last that has one; some, as a merge of files, have none."""
    for version in reversed(versions[:-1]):
        commit = read_commit(path, version)
        if commit is not None and APPLICATION in commit.transactions:
            return commit.transactions[APPLICATION]
    return BEGINNING


def _stated_time(file: str) -> int | None:
    """The time that a torn commit brings its table to, if that line is whole."""
    with open(file, "rb") as lines:
        for line in lines:
            try:
                match json.loads(line):
                    case {"txn": {"appId": "headwater", "version": int(time)}}:
                        return time
            except ValueError:
                return None
    return None
