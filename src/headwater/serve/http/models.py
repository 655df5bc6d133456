"""The answers as the OpenAPI description shows them: the fields that programs may rely on.

Answers are made by the functions that `--json` of the commands uses, and are not converted through these
models; a test compares real answers with them.  Further fields may be added.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from headwater.serve.http.problems import PROBLEM

__all__ = [
    "Bill", "DeadLetters", "Health", "Periods", "Plan", "Problem", "Pushes", "Queries", "QueryRows",
    "Sources", "StalenessCurves", "Status", "ViewPage", "Views", "problems",
]  # fmt: skip


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


class Problem(_Answer):
    """RFC 9457, with the fields of an error of the command line."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    message: str
    hint: str


class Column(_Answer):
    name: str
    type: str


class ViewInfo(_Answer):
    name: str
    columns: list[Column]
    freshness_s: float
    time: str | None
    owner: str
    site: str
    refresh: str
    reads: list[str]
    sql: str


class Views(_Answer):
    views: list[ViewInfo]


class ViewPage(_Answer):
    view: str
    time: str
    staleness_s: float
    error: str
    rows: list[dict[str, Any]]
    next: str | None


class ViewStatus(_Answer):
    name: str
    time: str | None
    staleness_s: float | None
    freshness_s: float
    violations: int
    rows: int
    pushes: int
    dollars: float
    cpu_seconds: float
    refresh: str
    error: str
    site: str
    owner: str


class SourceStatus(_Answer):
    name: str
    provider: str
    time: str | None
    changes: int
    rows: int
    error: str
    rejected: int
    next: str


class Status(_Answer):
    project: str
    at: str
    problem: str
    running: dict[str, Any] | None
    views: list[ViewStatus]
    sources: list[SourceStatus]
    slots: list[dict[str, Any]]
    sites: list[dict[str, Any]]


class Sources(_Answer):
    sources: list[SourceStatus]
    slots: list[dict[str, Any]]


class Plan(_Answer):
    project: str
    views: list[dict[str, Any]]
    shared: dict[str, Any]
    actions: list[dict[str, Any]]
    graph: dict[str, Any]


class Bill(_Answer):
    project: str
    since: str
    until: str
    by: str
    lines: list[dict[str, Any]]
    total: dict[str, Any]


class DeadLetters(_Answer):
    letters: list[dict[str, Any]]


class Push(_Answer):
    at: str
    view: str
    stage: str
    mode: str
    reason: str
    changed_rows: int
    result_rows: int
    seconds: float
    predicted_seconds: float
    error: str


class Pushes(_Answer):
    pushes: list[Push]


class Curve(_Answer):
    view: str
    freshness_s: float
    at: list[float]
    staleness_s: list[float | None]
    violations: list[float]
    pushes: int


class StalenessCurves(_Answer):
    since: str
    until: str
    views: list[Curve]


class ViewPeriod(_Answer):
    name: str
    freshness_s: float
    worst_staleness_s: float | None
    pushes: int
    violations: int
    dollars: float


class Periods(_Answer):
    since: str
    until: str
    views: list[ViewPeriod]


class QueryInfo(_Answer):
    name: str
    sql: str
    level: str
    bound: int | None
    parameters: list[dict[str, Any]]
    reasons: list[str]
    advice: list[str]
    route: str | None
    answers: int  # the newest, of which the next three are
    p50_s: float | None
    p99_s: float | None
    most_operations: int | None


class Queries(_Answer):
    queries: list[QueryInfo]


class QueryRows(_Answer):
    query: str
    level: str
    operations: int
    bound: int | None
    time: str
    staleness_s: float
    rows: list[dict[str, Any]]


class Health(_Answer):
    status: str


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may answer with, beside those that any may."""
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    described = {"description": "A problem: what, why, and what to do.", "content": content}
    return dict.fromkeys((*statuses, *EVERYWHERE), described)


EVERYWHERE = (401, 403, 413, 421, 422, 429, 503)
