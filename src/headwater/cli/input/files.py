"""Files named on the command line: read and written, with one clear error each."""

from __future__ import annotations

import sys
from pathlib import Path

from headwater.errors import InputError

__all__ = ["read_text", "unwritable", "writable_picture", "write_text"]

PICTURES = (".svg", ".png", ".pdf")


def read_text(path: Path | str) -> str:
    """The text of a file; "-" is standard input."""
    if str(path) == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError("HW005", f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(
            "HW005", f"cannot read {path}: it is not UTF-8 text", hint="save it as UTF-8"
        ) from None


def write_text(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


def unwritable(path: Path, error: OSError) -> InputError:
    return InputError("HW006", f"cannot write {path}: {error.strerror}")


def writable_picture(path: Path) -> Path:
    """A path whose ending names a format and whose folder exists; checked before anything is computed."""
    if path.suffix.lower() not in PICTURES:
        raise InputError(
            "HW864", f"cannot draw {path}: unknown format", hint="end its name in .svg, .png or .pdf"
        )
    if not path.absolute().parent.is_dir():
        raise InputError("HW006", f"cannot write {path}: there is no folder {path.parent}")
    return path
