"""A view's SELECT as a plan, its columns and types, or the reasons why there is no plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.algebra.expressions.nodes import Call
from headwater.algebra.plans.nodes import Plan, Project
from headwater.algebra.stages.stage import Obstacle
from headwater.errors import InputError, Place
from headwater.model import Column, RefreshPolicy, View
from headwater.sql.parsing.forms.in_spark import spark_tree
from headwater.sql.parsing.names import RESERVED_COLUMNS, can_be_stored, spelling, unused_name
from headwater.sql.translate.env import Env
from headwater.sql.translate.names import stored_name
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.passes.cross_joins import refuse_cross_joins
from headwater.sql.translate.passes.not_in_spark import refuse_what_spark_lacks
from headwater.sql.translate.passes.pruning import prune
from headwater.sql.translate.queries import translate_query
from headwater.sql.translate.relations.constants import over_relation
from headwater.sql.translate.relations.scope import Field, Rows
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import has_interval

__all__ = ["Translated", "translate"]


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
    warnings: tuple[Obstacle, ...] = ()  # where the answer is one of several


def translate(
    view: View,
    relations: Mapping[str, Sequence[Column]],
    keys: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> Translated:
    """Translate a view over relations (sources and other views) with these columns and keys."""
    notes = Notes(view.sql, relations, keys=keys or {})
    try:
        tree = spark_tree(view.sql)
        refuse_what_spark_lacks(tree, notes)
        rows = translate_query(tree, Env(notes, translate_query))
    except RecursionError:
        raise InputError("HW113", "this SELECT is nested too deeply", place=view.sql.place()) from None
    fields = rows.visible
    columns = _names(view, fields, notes, rows.open)
    types = tuple("" if rows.open or field.value.type == "void" else field.value.type for field in fields)
    types = types if len(types) == len(columns) else ("",) * len(columns)
    if not notes.reads:
        _stand_on_any(view, notes)
    if notes.unsettled and (notes.obstacles or view.refresh is RefreshPolicy.FULL):
        raise notes.unsettled[0]
    plan = None if notes.obstacles else _finish(rows, fields, columns, notes, view)
    if notes.obstacles and view.refresh is RefreshPolicy.INCREMENTAL_STRICT:
        raise _not_strict(view, notes.obstacles)
    warnings = tuple(notes.warnings) if plan is not None else ()
    return Translated(
        plan, columns, types, tuple(notes.reads), tuple(notes.obstacles), view.sql.text, warnings
    )


def _stand_on_any(view: View, notes: Notes) -> None:
    """A view of constants stands over the first relation there is: nothing of it is looked at."""
    if not notes.relations:
        raise InputError(
            "HW330",
            f'the view "{view.name}" reads nothing, and there is no table',
            place=view.sql.place(length=len(view.sql.text)),
            hint="declare a table with CREATE TABLE: views are kept as of the times of tables",
        )
    notes.reads.setdefault(next(iter(notes.relations)))


def _finish(rows: Rows, fields: Sequence[Field], columns: tuple[str, ...], notes: Notes, view: View) -> Plan:
    items = tuple((name, field.value.expr) for name, field in zip(columns, fields, strict=True))
    plan = over_relation(prune(Project(rows.plan, items), set(columns)), next(iter(notes.reads)))
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


def _names(view: View, fields: Sequence[Field], notes: Notes, open_: bool) -> tuple[str, ...]:
    """The view's column names: given by hand, or those of the select list."""
    if open_:
        return _open_names(view)
    if view.columns:
        if len(view.columns) > len(fields):
            raise InputError(
                "HW325",
                f'"{view.name}" has {len(view.columns)} names for {len(fields)} columns',
                place=view.place or view.sql.place(),
            )
        named = [
            replace(field, name=name, implicit=False)
            for field, name in zip(fields, view.columns, strict=False)
        ]
        fields = [*named, *fields[len(named) :]]  # the rest keep their names
    implicit = [
        field.implicit or (at >= len(view.columns) and not can_be_stored(field.name))
        for at, field in enumerate(fields)
    ]
    explicit = {field.name.lower() for field, renamed in zip(fields, implicit, strict=True) if not renamed}
    names: list[str] = []
    for field, renamed in zip(fields, implicit, strict=True):
        name = field.name
        if renamed:
            name = unused_name(stored_name(name), explicit | {other.lower() for other in names})
        _check(field, name, names, notes, view)
        names.append(name)
    return tuple(names)


def _open_names(view: View) -> tuple[str, ...]:
    """SELECT * over something whose columns only Spark can know."""
    if not view.columns:
        raise InputError(
            "HW329",
            f'the columns of "{view.name}" cannot be known before it runs',
            place=view.sql.place(),
            hint="name the columns instead of *, or write CREATE MATERIALIZED VIEW name (a, b, c)",
        )
    return view.columns


_INTERVAL = "an interval", "store a number: timestampdiff(SECOND, start, end), datediff(end, start)"
_VARIANT = "a variant", "store what is needed of it: variant_get(x, '$.a', 'string'), or to_json(x)"
_UNSTORABLE = {
    "make_interval": _INTERVAL, "try_make_interval": _INTERVAL,
    "make_dt_interval": _INTERVAL, "make_ym_interval": _INTERVAL,
    "variant": _VARIANT, "parse_json": _VARIANT, "try_parse_json": _VARIANT, "to_variant_object": _VARIANT,
}  # fmt: skip


def _unstorable(value: Typed) -> tuple[str, str] | None:
    """What a value is that no table stores, by its type or what makes it, and what to store instead."""
    made_by = value.expr.function if isinstance(value.expr, Call) else ""
    if has_interval(value.type):
        return _INTERVAL
    return _UNSTORABLE.get(value.type) or _UNSTORABLE.get(made_by)


def _check(field: Field, name: str, names: list[str], notes: Notes, view: View) -> None:
    def place() -> Place | None:
        return notes.place(field.origin) if field.origin is not None else view.place

    if spelling(name, names) is not None:
        raise InputError(
            "HW304", f'two columns of the view are called "{name}"', place=place(),
            hint="give one of them another name with AS",
        )  # fmt: skip
    if unstorable := _unstorable(field.value):
        kind, hint = unstorable
        raise InputError(
            "HW308", f'"{name}" is {kind}, which a table cannot store', place=place(), hint=hint
        )  # fmt: skip
    if not can_be_stored(name) or name.lower() in RESERVED_COLUMNS:
        raise InputError(
            "HW109", f'"{name}" cannot name a column of a view', place=place(),
            hint="give it a name of letters, digits and underscores with AS",
        )  # fmt: skip
