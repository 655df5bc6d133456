"""The answers of the routes that the page needs beyond those of models.py."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = [
    "Added",
    "CheckedQueries",
    "CostsOverTime",
    "Dropped",
    "Explained",
    "Retried",
    "Session",
    "Taken",
    "Verification",
]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


class Session(_Answer):
    project: str
    folder: str
    version: str
    role: str
    keys: bool
    example: str


class Operators(_Answer):
    stage: str
    changed: str
    plan: str


class Explained(_Answer):
    view: str
    pushes: list[Operators]
    stages: dict[str, str]


class CheckedQuery(_Answer):
    name: str
    sql: str
    level: str
    bounded: bool
    operations: int | None
    rows_read: int | None
    results: int | None
    needs: str
    reasons: list[dict[str, Any]]
    advice: list[str]


class CheckedQueries(_Answer):
    queries: list[CheckedQuery]


class CostSeries(_Answer):
    name: str
    dollars_per_hour: list[float]


class CostsOverTime(_Answer):
    since: str
    until: str
    at: list[float]
    series: list[CostSeries]


class Added(_Answer):
    admitted: bool
    added: bool
    views: list[dict[str, Any]]
    broken: list[str]
    files: list[str]
    running: bool


class Dropped(_Answer):
    view: str
    file: str
    file_deleted: bool
    data: str


class Retried(_Answer):
    table: str
    accepted: int
    rejected: int
    next_run: bool


class Taken(_Answer):
    table: str
    accepted: int


class Verification(_Answer):
    """`state`: never, asked, running, done, failed or interrupted; the other fields as it says."""

    view: str
    state: str
    equal: bool | None = None
    not_compared: str = ""
    rows: int | None = None
    missing_rows: int | None = None
    extra_rows: int | None = None
    error: str = ""
