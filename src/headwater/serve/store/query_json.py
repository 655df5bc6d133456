"""The JSON of `headwater query`: its fields are a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.clock import instant_of, instant_text

if TYPE_CHECKING:
    from headwater.serve.store.answering import DeclaredQuery, QueryAnswer

__all__ = ["answer_json", "query_json"]


def answer_json(name: str, answer: QueryAnswer) -> dict[str, Any]:
    return {
        "query": name,
        "level": answer.level,
        "operations": answer.operations,
        "bound": answer.bound,
        "time": instant_text(instant_of(answer.time)),
        "staleness_s": answer.staleness_s,
        "rows": answer.rows,
    }


def query_json(query: DeclaredQuery) -> dict[str, Any]:
    return {
        "name": query.name,
        "sql": query.sql,
        "level": query.level,
        "bound": query.bound,
        "parameters": [
            {"name": name, "type": kind, "list": is_list} for name, kind, is_list in query.parameters
        ],
        "within_s": None if query.within is None else query.within.total_seconds(),
        "reasons": list(query.reasons),
        "advice": list(query.advice),
    }
