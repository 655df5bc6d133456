"""Answers as the `--json` contract has them, and as text for people."""

from __future__ import annotations

from typing import Any

from headwater.algebra.expressions.sql import sql_of
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.plans.plan import Index, index_text
from headwater.bounds.query.block import conjunction_sql
from headwater.bounds.views.choose import ChosenView
from headwater.bounds.views.refresh import PERIOD, Periodic, Staging
from headwater.errors import Place

__all__ = ["answer_fields", "needs_text", "report_fields"]


def report_fields(answers: list[Answer]) -> dict[str, Any]:
    """The whole report: every query, and how many there are of each level."""
    levels = {level.value: sum(answer.level is level for answer in answers) for level in Level}
    return {"queries": [answer_fields(answer) for answer in answers], "levels": levels}


def answer_fields(answer: Answer) -> dict[str, Any]:
    return {
        "name": answer.name,
        "level": answer.level.value,
        "operations": answer.operations,
        "rows_read": answer.read,
        "results": answer.results,
        "indexes": _unique([_index_fields(index) for index in answer.indexes]),
        "views": _views(answer),
        "rewritten": answer.rewritten,
        "reasons": [_reason_text(reason.text, reason.place) for reason in answer.reasons],
        "advice": [f"{advice.text} (reaches {advice.level.value})" for advice in answer.advice],
        "assumptions": list(answer.assumes),
        "parameters": [{"name": name, "assumed_maximum": most} for name, most in answer.parameters],
        "place": None if answer.place is None else _place_fields(answer.place),
    }


def _unique(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Indexes that differ only in where NULLs stand are shown once."""
    return [item for number, item in enumerate(items) if item not in items[:number]]


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
        fields["where"] = conjunction_sql(index.where)
    return fields


def _views(answer: Answer) -> list[dict[str, Any]]:
    if answer.choice is not None:
        return [_view_fields(view, list(answer.indexes)) for view in answer.choice.views]
    if answer.periodic is not None:
        return _periodic_fields(answer.periodic)
    return []


def _view_fields(view: ChosenView, indexes: list[Index]) -> dict[str, Any]:
    own = sum(index.table == view.candidate.name for index in indexes)
    tables = list(dict.fromkeys(upkeep.delta.table for upkeep in view.maintenance))
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
    upkeeps = [upkeep for upkeep in view.maintenance if upkeep.delta.table == table]
    each = 2 if view.candidate.grouped else 1  # a counter's entry moves within an index led by it
    operations = sum(upkeep.operations + upkeep.writes * own_indexes * each for upkeep in upkeeps)
    return {
        "on": table,
        "operations": operations,
        "update_operations": 2 * operations,
        "writes": sum(upkeep.writes for upkeep in upkeeps),
        "queries": [upkeep.delta.sql for upkeep in upkeeps],
    }


def _periodic_fields(periodic: Periodic) -> list[dict[str, Any]]:
    views = [_staging_fields(staging) for staging in periodic.stagings]
    views += [_view_fields(view, []) for view in periodic.counters]
    if periodic.refreshed:
        relative = (
            periodic.stagings[0].table if periodic.stagings else periodic.counters[-1].storage.relative_to
        )
        views.append(
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
    return views


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
    parts = list(dict.fromkeys(f"index {index_text(index)}" for index in answer.indexes))
    if answer.choice is not None:
        parts += [
            f"view {view.candidate.name}({', '.join(view.candidate.table.key)})"
            for view in answer.choice.views
        ]
    if answer.periodic is not None:
        parts += [f"staging {staging.name}" for staging in answer.periodic.stagings]
        parts += [f"view {view.candidate.name}" for view in answer.periodic.counters]
        parts += [f"periodic view {answer.periodic.name}"] if answer.periodic.refreshed else ["parallel read"]
    return "\n".join(parts)
