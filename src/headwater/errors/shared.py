"""Errors that several packages raise: one function each, so that they read the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.errors.error import InputError
from headwater.errors.place import Place
from headwater.errors.suggestions import did_you_mean

__all__ = ["declared_twice", "no_such_column", "no_such_table", "no_such_view"]


def no_such_view(name: str, project: str, views: Iterable[str]) -> InputError:
    return _not_in_project("HW210", "view", name, project, list(views), None)


def no_such_table(name: str, project: str, tables: Iterable[str], place: Place | None = None) -> InputError:
    return _not_in_project("HW211", "table", name, project, list(tables), place)


def _not_in_project(
    code: str, kind: str, name: str, project: str, declared: list[str], place: Place | None
) -> InputError:
    return InputError(
        code,
        f'there is no {kind} "{name}" in project "{project}"',
        place=place,
        detail=f"Its {kind}s: {', '.join(declared) or 'none'}.",
        hint=did_you_mean(name, declared),
    )


def no_such_column(table: str, name: str, columns: Iterable[str]) -> InputError:
    """A record, a file or a batch names a column that its table does not declare."""
    declared = list(columns)
    delimiter = next((each for each in (";", "\t", "|") if each in name), None)
    separated = f"The file is probably separated by it: --delimiter {delimiter!r}." if delimiter else ""
    return InputError(
        "HW851",
        f'table "{table}" has no column "{name}"',
        detail=f"Its columns: {', '.join(declared)}.",
        hint=did_you_mean(name, declared) or separated,
    )


def declared_twice(name: str, place: Place | None, first: Place | None) -> InputError:
    """Tables, views and queries share one namespace, without regard to case."""
    detail = f"It is first declared at {first}." if first is not None else ""
    return InputError("HW104", f'"{name}" is declared twice', place=place, detail=detail)
