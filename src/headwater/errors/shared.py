"""Errors that several packages raise: one function each, so that they read the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.errors.error import InputError
from headwater.errors.place import Place
from headwater.errors.suggestions import did_you_mean

__all__ = ["declared_twice", "no_such_column"]


def no_such_column(table: str, name: str, columns: Iterable[str]) -> InputError:
    """A record, a file or a batch names a column that its table does not declare."""
    declared = list(columns)
    delimiter = next((each for each in (";", "\t", "|") if each in name), None)
    separated = f"The file is probably separated by it: --delimiter {delimiter!r}." if delimiter else ""
    return InputError(
        "HW851",
        f'table "{table}" has no column "{name}"',
        detail=f"Its columns: {', '.join(declared)}.",
        hint=separated or did_you_mean(name, declared) or "Leave it out, or declare it in CREATE TABLE.",
    )


def declared_twice(name: str, place: Place | None, first: Place | None) -> InputError:
    """Tables, views and queries share one namespace, without regard to case."""
    detail = f"It is first declared at {first}." if first is not None else ""
    hint = "Rename one of them: tables, views and queries share one namespace, whatever the case."
    return InputError("HW104", f'"{name}" is declared twice', place=place, detail=detail, hint=hint)
