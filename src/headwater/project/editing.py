"""Adds views to a project's folder and removes them, each in a file of its own, by one rename or link.

A run reads the files whenever they change, so half a statement must never be visible: a new file appears
whole and never replaces another, and a changed file is replaced as a whole.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from headwater.errors import InputError
from headwater.model import Project, SqlText, View
from headwater.project.loading import read_text
from headwater.sql.ddl.cutting import StatementText, cut_view, statement_texts
from headwater.sql.parsing.parser import select_tree
from headwater.sql.parsing.relations import relations_read

__all__ = ["declares_no_view", "new_views", "readers", "remove_view", "require_outside", "write_view"]


def new_views(path: Path) -> tuple[StatementText, ...]:
    """The statements of a file that may be added: CREATE MATERIALIZED VIEW, one or more, nothing else."""
    statements = statement_texts(read_text(path), str(path))
    if not statements:
        raise declares_no_view(str(path))
    for statement in statements:
        if not statement.view:
            raise InputError(
                "HW891",
                f"{path} holds more than views: {' '.join(statement.text.split()[:3])} ...",
                hint="add takes CREATE MATERIALIZED VIEW only; write tables and queries into the project",
            )
    return statements


def require_outside(path: Path, folder: Path) -> None:
    """A file of views that `add` or `plan --with` takes: it exists, and is not one of the project's own."""
    if path.is_dir():
        raise InputError("HW861", f"{path} is a folder, not a file", hint="name an SQL file in it")
    if not path.exists():
        raise InputError(
            "HW861", f"there is no file {path}", hint="name a file with CREATE MATERIALIZED VIEW"
        )
    if path.suffix == ".sql" and path.resolve().parent == folder.resolve():
        raise InputError(
            "HW862",
            f"{path} is part of the project already",
            hint="name a file outside the project's folder; a run takes over files written into it by itself",
        )


def declares_no_view(files: str) -> InputError:
    return InputError("HW863", f"{files} declares no view", hint="write a CREATE MATERIALIZED VIEW into it")


def write_view(folder: Path, piece: StatementText) -> Path:
    """Write a view into a new file of the folder, named after it; returns the file."""
    text = f"{piece.comments}\n{piece.text}\n" if piece.comments else f"{piece.text}\n"
    draft = _draft(folder, text)
    try:
        for path in _names(folder, piece.view):
            if _placed(draft, path):
                return path
        raise AssertionError("names never end")
    finally:
        draft.unlink(missing_ok=True)


def _placed(draft: Path, path: Path) -> bool:
    """Give a draft its name, unless something has that name: a link, unlike a rename, never replaces."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if path.exists():
            return False
        os.rename(draft, path)
    return True


def _names(folder: Path, view: str) -> Iterator[Path]:
    yield folder / f"{view}.sql"
    number = 2
    while True:
        yield folder / f"{view}-{number}.sql"
        number += 1


def remove_view(view: View) -> tuple[Path, bool]:
    """Take a view's declaration out of its file; the file goes if it holds nothing else (True)."""
    path = Path(view.sql.path)
    left = cut_view(read_text(path), view.name, str(path))
    if left is None:
        path.unlink()
        return path, True
    mark = "\ufeff" if path.read_bytes().startswith(b"\xef\xbb\xbf") else ""
    draft = _draft(path.parent, mark + left)
    shutil.copymode(path, draft)
    os.replace(draft, path)
    return path, False


def _draft(folder: Path, text: str) -> Path:
    """A file that the project does not read: its name does not end in .sql."""
    path = folder / f".headwater-{uuid.uuid4().hex}.draft"
    path.write_bytes(text.encode())
    return path


def readers(project: Project, view: str) -> list[str]:
    """The views and queries that read a view, in words."""
    views = [("view", other) for other in project.views.values() if other.name != view]
    explained = [("EXPLAIN of", other) for other in project.explained]
    names = [f"{kind} {other.name}" for kind, other in (*views, *explained) if _reads(other.sql, view)]
    return names + [f"query {query.name}" for query in project.queries.values() if _reads(query.sql, view)]


def _reads(sql: SqlText, view: str) -> bool:
    return any(relation.name.lower() == view.lower() for relation in relations_read(select_tree(sql)))
