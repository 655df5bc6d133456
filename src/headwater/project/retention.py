"""`retention` in headwater.yml: how long is kept what nobody needs for keeping the views.

    retention: {history: 7 days, audit: 90 days, dead_letters: 30 days, reads: 1 hour}

`history: none` (the default) promises no as-of reads: history is folded as soon as every view has read it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from headwater.model import Retention
from headwater.project.yaml_file import Value
from headwater.sql.parsing.intervals import duration

__all__ = ["read_retention"]

NONE = "none"
SHORTEST_READS = timedelta(minutes=10)  # a file may be written that long before it is committed


def read_retention(value: Value) -> Retention:
    given = value.fields(("history", "audit", "dead_letters", "reads"))
    kept = replace(Retention(), **{name: _duration(text, name) for name, text in given.items()})
    if kept.reads < SHORTEST_READS:
        raise given["reads"].wrong(
            "retention.reads must be at least 10 minutes",
            "files of a push in progress are told from forgotten ones by their age",
        )
    return kept


def _duration(value: Value, name: str) -> timedelta:
    if name == "history" and value.scalar().strip().lower() == NONE:
        return timedelta(0)
    try:
        return duration(value.scalar())
    except ValueError as error:
        hint = f"write {name}: 7 days" + (f", or {name}: {NONE}" if name == "history" else "")
        raise value.wrong(f"{value.title}: {error}", hint) from None
