"""The captures of a project: one for each table that others feed or a folder feeds, one for each database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from headwater.capture.files import FileCapture
from headwater.capture.polling import ApiCapture, Capture, Polled
from headwater.clock import Clock
from headwater.errors import InputError, did_you_mean
from headwater.model import Project, Table
from headwater.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from headwater.capture.postgres.capture import PostgresCapture

__all__ = ["Capture", "Polled", "captures", "drop_postgres"]

_PROVIDERS = ("api", "files", "postgres", "stream")


def captures(project: Project, warehouse: Warehouse, clock: Clock) -> list[Capture]:
    """One capture per table, but tables of one PostgreSQL database together. Nothing is connected yet."""
    found: list[Capture] = []
    for table in project.tables.values():
        match table.provider:
            case "files":
                found.append(FileCapture(warehouse, table, clock, project.folder, project.tables))
            case "api" | "stream":
                found.append(ApiCapture(warehouse, table, clock))
            case "postgres":
                pass
            case other:
                raise InputError(
                    "HW861", f'table "{table.name}" uses an unknown provider "{other}"', place=table.place,
                    hint=did_you_mean(other, _PROVIDERS) or f"Use one of {', '.join(_PROVIDERS)}.",
                )  # fmt: skip
    return [*found, *_databases(project, warehouse, clock)]


def drop_postgres(project: Project, warehouse: Warehouse, clock: Clock) -> list[str]:
    """Drop the slots and publications of the project in its databases; returns what was dropped."""
    dropped: list[str] = []
    for capture in _databases(project, warehouse, clock):
        dropped += capture.drop()
    return dropped


def _databases(project: Project, warehouse: Warehouse, clock: Clock) -> Iterable[PostgresCapture]:
    from headwater.capture.postgres.capture import PostgresCapture
    from headwater.capture.postgres.declared import declare
    from headwater.capture.postgres.failures import database_of

    groups: dict[str, list[Table]] = {}
    for table in project.tables.values():
        if table.provider == "postgres":
            declare(table)
            groups.setdefault(database_of(table.options["uri"]), []).append(table)
    return [PostgresCapture(warehouse, project.name, tables, clock) for tables in groups.values()]
