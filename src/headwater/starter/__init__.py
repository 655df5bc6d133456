"""The starter project: a small shop that runs as it is, for `headwater init` and the demo.

The files lie in `shop/` as they will be written; `{{name}}` (the project's name) and `{{folder}}` (the folder
as the user wrote it) are the only blanks.  Nothing is ever overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from headwater.errors import InputError

__all__ = ["write_starter"]


def write_starter(folder: Path, name: str) -> list[Path]:
    """Write the starter project into a new or empty folder and return the files, in order of their names."""
    _require_empty(folder)
    blanks = {"{{name}}": json.dumps(name, ensure_ascii=False), "{{folder}}": str(folder)}
    try:
        return [
            _write(folder / path, template.read_text("utf-8"), blanks)
            for path, template in _templates(files("headwater.starter") / "shop", PurePosixPath())
        ]
    except OSError as error:
        raise InputError("HW213", f"{folder} cannot be written: {error.strerror}") from error


def _require_empty(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError("HW202", f"{folder} is not a folder", hint="choose the name of a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(
            "HW212", f"{folder} is not empty", hint="choose a new folder; nothing is overwritten"
        )


def _templates(folder: Traversable, path: PurePosixPath) -> Iterator[tuple[PurePosixPath, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda file: file.name):
        if entry.is_dir():
            yield from _templates(entry, path / entry.name)
        else:
            yield path / entry.name, entry


def _write(path: Path, text: str, blanks: dict[str, str]) -> Path:
    for blank, value in blanks.items():
        text = text.replace(blank, value)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path
