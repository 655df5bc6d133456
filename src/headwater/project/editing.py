"""Views come into a project's folder and leave it: each in a file of its own, by one rename or link.

A run reads the files whenever they change, so no moment may show half a statement: new files appear whole
and never in place of another, changed ones are replaced whole.
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
from headwater.sql.cutting import Piece, cut_view, pieces
from headwater.sql.relations import relations_read
from headwater.sql.select import parse_select

__all__ = ["new_views", "readers", "remove_view", "write_view"]


def new_views(path: Path) -> tuple[Piece, ...]:
    """The statements of a file that may be added: CREATE MATERIALIZED VIEW, one or more, nothing else."""
    if not path.is_file():
        raise InputError(
            "HW861", f"there is no file {path}", hint="name a file with CREATE MATERIALIZED VIEW"
        )
    found = pieces(read_text(path), str(path))
    if not found:
        hint = "write a CREATE MATERIALIZED VIEW into it"
        raise InputError("HW863", f"{path} declares no view", hint=hint)
    for one in found:
        if not one.view:
            raise InputError(
                "HW891",
                f"{path} holds more than views: {' '.join(one.text.split()[:3])} ...",
                hint="add takes CREATE MATERIALIZED VIEW only; write tables and queries into the project",
            )
    return found


def write_view(folder: Path, piece: Piece) -> Path:
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
    named = [("view", one) for one in project.views.values() if one.name != view]
    asked = [("EXPLAIN of", one) for one in project.explained]
    found = [f"{kind} {one.name}" for kind, one in (*named, *asked) if _reads(one.sql, view)]
    return found + [f"query {one.name}" for one in project.queries.values() if _reads(one.sql, view)]


def _reads(sql: SqlText, view: str) -> bool:
    return any(one.name.lower() == view.lower() for one in relations_read(parse_select(sql)))
