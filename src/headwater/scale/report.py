"""Answers as the `--json` contract has them, and as text for people."""

from __future__ import annotations

from typing import Any

from headwater.errors import Place
from headwater.scale.answer import Answer, Level
from headwater.scale.choose import ChosenView
from headwater.scale.expr import sql_of
from headwater.scale.plan import Index, index_text
from headwater.scale.refresh import PERIOD, Periodic, Staging

__all__ = ["answer_fields", "needs_text", "report_fields"]


def report_fields(answers: list[Answer]) -> dict[str, Any]:
    """The whole report: every query, and how many there are of each level."""
    levels = {level.value: sum(one.level is level for one in answers) for level in Level}
    return {"queries": [answer_fields(one) for one in answers], "levels": levels}


def answer_fields(answer: Answer) -> dict[str, Any]:
    return {
        "name": answer.name,
        "level": answer.level.value,
        "operations": answer.operations,
        "rows_read": answer.read,
        "results": answer.results,
        "indexes": _unique([_index_fields(one) for one in answer.indexes]),
        "views": _views(answer),
        "rewritten": answer.rewritten,
        "reasons": [_reason_text(one.text, one.place) for one in answer.reasons],
        "advice": [f"{one.text} (reaches {one.level.value})" for one in answer.advice],
        "assumptions": list(answer.assumes),
        "parameters": [{"name": name, "assumed_maximum": most} for name, most in answer.parameters],
        "place": None if answer.place is None else _place_fields(answer.place),
    }


def _unique(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Indexes that differ only in where NULLs stand are shown once."""
    return [one for number, one in enumerate(items) if one not in items[:number]]


def _reason_text(text: str, place: Place | None) -> str:
    return text if place is None else f"{text} ({place})"


def _place_fields(place: Place) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def _index_fields(index: Index) -> dict[str, Any]:
    fields: dict[str, Any] = {"table": index.table, "columns": [sql_of(part.expr) for part in index.parts]}
    if any(part.descending for part in index.parts):
        fields["descending"] = [sql_of(part.expr) for part in index.parts if part.descending]
    if index.include:
        fields["include"] = list(index.include)
    if index.where:
        fields["where"] = " AND ".join(sql_of(one, 2) for one in index.where)
    return fields


def _views(answer: Answer) -> list[dict[str, Any]]:
    if answer.choice is not None:
        return [_view_fields(one, list(answer.indexes)) for one in answer.choice.views]
    if answer.periodic is not None:
        return _periodic_fields(answer.periodic)
    return []


def _view_fields(view: ChosenView, indexes: list[Index]) -> dict[str, Any]:
    own = sum(index.table == view.candidate.name for index in indexes)
    tables = list(dict.fromkeys(one.delta.table for one in view.maintenance))
    return {
        "name": view.candidate.name,
        "sql": view.sql,
        "key": list(view.candidate.table.key),
        "storage": {
            "relative_to": view.storage.relative_to,
            "factor": view.storage.factor,
            "because": list(view.storage.chain),
        },
        "maintenance": [_maintenance_fields(view, table, own) for table in tables],
    }


def _maintenance_fields(view: ChosenView, table: str, own_indexes: int) -> dict[str, Any]:
    """The work of one inserted or deleted row, over all occurrences of its table; an update is twice that.

    Each write to the view also writes its secondary indexes.
    """
    mine = [one for one in view.maintenance if one.delta.table == table]
    each = 2 if view.candidate.grouped else 1  # a counter's entry moves within an index led by it
    operations = sum(one.operations + one.writes * own_indexes * each for one in mine)
    return {
        "on": table,
        "operations": operations,
        "update_operations": 2 * operations,
        "writes": sum(one.writes for one in mine),
        "queries": [one.delta.sql for one in mine],
    }


def _periodic_fields(periodic: Periodic) -> list[dict[str, Any]]:
    found = [_staging_fields(one) for one in periodic.stagings]
    found += [_view_fields(one, []) for one in periodic.counters]
    if periodic.refreshed:
        relative = (
            periodic.stagings[0].table if periodic.stagings else periodic.counters[-1].storage.relative_to
        )
        found.append(
            {
                "name": periodic.name,
                "sql": periodic.sql,
                "key": list(periodic.key),
                "periodic": PERIOD,
                "serial_rows": periodic.serial,
                "serial": periodic.serial_text,
                "storage": {"relative_to": relative, "factor": 1},
                "maintenance": [],
            }
        )
    return found


def _staging_fields(staging: Staging) -> dict[str, Any]:
    return {
        "name": staging.name,
        "sql": staging.sql,
        "key": list(staging.key),
        "partitioned_by": staging.key[0],
        "storage": {"relative_to": staging.table, "factor": 1},
        "maintenance": [
            {"on": staging.table, "operations": staging.writes, "update_operations": 2 * staging.writes}
        ],
    }


def needs_text(answer: Answer) -> str:
    """What must exist for the query to be read within its bound, in one cell of a table."""
    parts = list(dict.fromkeys(f"index {index_text(one)}" for one in answer.indexes))
    if answer.choice is not None:
        parts += [
            f"view {one.candidate.name}({', '.join(one.candidate.table.key)})" for one in answer.choice.views
        ]
    if answer.periodic is not None:
        parts += [f"staging {one.name}" for one in answer.periodic.stagings]
        parts += [f"view {one.candidate.name}" for one in answer.periodic.counters]
        parts += [f"periodic view {answer.periodic.name}"] if answer.periodic.refreshed else ["parallel read"]
    return "\n".join(parts)
