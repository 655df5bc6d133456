"""A view's SELECT as a plan, its columns and types, or the reasons why there is no plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.algebra.nodes import Plan, Project
from headwater.algebra.stages import Obstacle
from headwater.errors import InputError
from headwater.model import Column, RefreshPolicy, View
from headwater.sql.names import RESERVED_COLUMNS
from headwater.sql.translate.cross_joins import refuse_cross_joins
from headwater.sql.translate.env import Env
from headwater.sql.translate.names import stored_name
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.pruning import prune
from headwater.sql.translate.queries import translate_query
from headwater.sql.translate.scope import Field, Rows
from headwater.sql.translate.verbatim import parse_query

__all__ = ["Translated", "translate"]

_NOT_STORABLE = re.compile(r"[\s,;{}()=.`\"'\\]")


@dataclass(frozen=True, slots=True)
class Translated:
    """`plan` is None when there are obstacles: Spark then recomputes `sql`, whose columns, by position, are
    `columns`.  `types` are Spark's, "" where not known.
    """

    plan: Plan | None
    columns: tuple[str, ...]
    types: tuple[str, ...]
    reads: tuple[str, ...]
    obstacles: tuple[Obstacle, ...]
    sql: str


def translate(view: View, relations: Mapping[str, Sequence[Column]]) -> Translated:
    """Translate a view over relations (sources and other views) with these columns."""
    notes = Notes(view.sql, relations)
    try:
        rows = translate_query(parse_query(view.sql), Env(notes, translate_query))
    except RecursionError:
        raise InputError("HW300", "this SELECT is nested too deeply", place=view.sql.place()) from None
    fields = [one for one in rows.fields if not one.hidden]
    columns = _names(view, fields, notes, rows.open)
    types = tuple("" if rows.open or one.value.type == "void" else one.value.type for one in fields)
    types = types if len(types) == len(columns) else ("",) * len(columns)
    plan = None if notes.obstacles else _finish(rows, fields, columns, notes, view)
    if notes.obstacles and view.refresh is RefreshPolicy.INCREMENTAL_STRICT:
        raise _not_strict(view, notes.obstacles)
    return Translated(plan, columns, types, tuple(notes.reads), tuple(notes.obstacles), view.sql.text)


def _finish(rows: Rows, fields: list[Field], columns: tuple[str, ...], notes: Notes, view: View) -> Plan:
    items = tuple((name, one.value.expr) for name, one in zip(columns, fields, strict=True))
    plan = prune(Project(rows.plan, items), set(columns))
    if not view.allow_cross_join:
        refuse_cross_joins(plan, notes)
    return plan


def _not_strict(view: View, obstacles: Sequence[Obstacle]) -> InputError:
    more = f" (and {len(obstacles) - 1} more)" if len(obstacles) > 1 else ""
    return InputError(
        "HW322",
        f'the view "{view.name}" cannot be kept incrementally: {obstacles[0].reason}{more}',
        place=obstacles[0].place,
        detail="REFRESH POLICY INCREMENTAL STRICT allows no full refresh.",
        hint="rewrite this part, or use REFRESH POLICY INCREMENTAL or AUTO",
    )


def _names(view: View, fields: list[Field], notes: Notes, open_: bool) -> tuple[str, ...]:
    """The view's column names: given by hand, or those of the select list."""
    if open_:
        return _open_names(view)
    if view.columns:
        if len(view.columns) != len(fields):
            raise InputError(
                "HW325",
                f'"{view.name}" has {len(view.columns)} names for {len(fields)} columns',
                place=view.place or view.sql.place(),
            )
        fields = [
            replace(one, name=name, implicit=False) for one, name in zip(fields, view.columns, strict=True)
        ]
    explicit = {one.name.lower() for one in fields if not one.implicit}
    names: list[str] = []
    for one in fields:
        name = _made(one.name, explicit | {other.lower() for other in names}) if one.implicit else one.name
        _check(one, name, names, notes, view)
        names.append(name)
    return tuple(names)


def _open_names(view: View) -> tuple[str, ...]:
    """SELECT * over something whose columns only Spark can know."""
    if not view.columns:
        raise InputError(
            "HW325",
            f'the columns of "{view.name}" cannot be known before it runs',
            place=view.sql.place(),
            hint="name the columns instead of *, or write CREATE MATERIALIZED VIEW name (a, b, c)",
        )
    return view.columns


def _made(name: str, taken: set[str]) -> str:
    stem = stored_name(name)
    made, number = stem, 1
    while made.lower() in taken:
        number += 1
        made = f"{stem}_{number}"
    return made


def _check(one: Field, name: str, names: list[str], notes: Notes, view: View) -> None:
    place = notes.place(one.origin) if one.origin is not None else view.place
    if name.lower() in {other.lower() for other in names}:
        raise InputError(
            "HW304", f'two columns of the view are called "{name}"', place=place,
            hint="give one of them another name with AS",
        )  # fmt: skip
    if not name or _NOT_STORABLE.search(name) or name.lower() in RESERVED_COLUMNS:
        raise InputError(
            "HW325", f'"{name}" cannot name a column of a view', place=place,
            hint="give it a name of letters, digits and underscores with AS",
        )  # fmt: skip
