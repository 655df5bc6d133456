"""The last declaration that was right, so that a typo in a SQL file stops nobody who need not read that file.

Whoever writes to a warehouse also writes there, in declaration.json, what the SQL files said: every one of
them, without its secrets.  Commands that read or feed what is there already (`status`, `read`, `ingest`, ...)
go on with it while the files are wrong; what plans or keeps views needs them right.  headwater.yml is not
remembered: it says where the warehouse is.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from headwater.clock import Clock, instant_text
from headwater.errors import InputError, redact
from headwater.model import Project, SqlText
from headwater.project.loading import load_settings, project_of, read_text, sql_files
from headwater.storage.replace_text import replace_text

__all__ = ["last_good", "remember"]

logger = logging.getLogger(__name__)


def remember(project: Project, clock: Clock) -> None:
    """Store a project's declaration in its warehouse, unless the one that is stored says the same.

    Nothing is stored if the files are no longer what the project was made from, or if they cannot be
    understood without their secrets.
    """
    folder = Path(project.folder)
    try:
        files = {path.name: redact(read_text(path)) for path in sql_files(folder)}
        if files == _stored(project.storage).get("files"):
            return
        again = project_of(folder, load_settings(folder), _placed(folder, files))
    except InputError as error:
        logger.info("the declaration is not remembered: %s", error)
        return
    if _essence(again) == _essence(project):
        replace_text(_path(project.storage), json.dumps({"at": clock.now(), "files": files}))


def last_good(folder: Path, error: InputError) -> tuple[Project, str]:
    """The remembered project of a folder whose files are wrong, and a line that says so.

    Raises the `error` if nothing is remembered.
    """
    try:
        settings = load_settings(folder)
        stored = _stored(settings.storage)
        if not stored:
            raise error
        project = project_of(folder, settings, _placed(folder, stored["files"]))
    except InputError:
        raise error from None
    place = "" if error.place is None else f" at {error.place}"
    at = instant_text(stored["at"])[:19]
    return project, f"{error.code}: {error.message}{place}; going on with what was declared at {at}"


def _placed(folder: Path, files: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(str(folder / name), text) for name, text in files.items()]


def _path(storage: str) -> str:
    return os.path.join(storage, "declaration.json")


def _stored(storage: str) -> Mapping[str, Any]:
    try:
        with open(_path(storage), encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
    except (OSError, ValueError):
        return {}
    return content


def _essence(project: Project) -> object:
    """What a declaration says, without its secrets and its places."""
    tables = {name: replace(table, options={}, place=None) for name, table in project.tables.items()}
    views = {
        name: replace(view, sql=SqlText(view.sql.text), place=None) for name, view in project.views.items()
    }
    return tables, views
