"""Which column does a name mean?  Spark's rules, without regard to case.

A scope holds the fields of the relations in FROM, in order.  A field is a name users can write and the
value behind it: an expression over the plan built so far, not necessarily a column of it.  So a subquery in
FROM that only filters, joins and computes dissolves into the query around it, and joins of joins become one.

A dotted name is tried as relation.column, then as column.field; a subquery in a predicate also sees the
columns of the query around it, after its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Expr, Literal
from headwater.algebra.plans.nodes import Plan
from headwater.sql.parsing.names import same_name
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family, field_of, fields

__all__ = ["Field", "Rows", "Scope", "field_access", "requalify"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column that can be named: `hidden` ones (the second k of USING (k)) only with their qualifier.

    `implicit`: nobody gave it a name, so it has one made of its text.  `origin` is where it stands.
    """

    qualifier: str
    name: str
    value: Typed
    hidden: bool = False
    implicit: bool = False
    origin: exp.Expr | None = field(default=None, compare=False)

    @property
    def shown(self) -> str:
        return f"{self.qualifier}.{self.name}" if self.qualifier else self.name


@dataclass(frozen=True, slots=True)
class Rows:
    """What a query or a FROM clause gives: a plan, and fields over it.

    `open`: not all fields are known (PIVOT, table functions), so an unknown name is no error.
    `correlated`: conditions that name columns of the query around a subquery.
    `single`: there is one row, always (an aggregate without GROUP BY).  If it is correlated, the plan has
    none where no row matches; `empty` says what its columns are then, where that is not NULL.
    """

    plan: Plan
    fields: tuple[Field, ...]
    open: bool = False
    correlated: tuple[Expr, ...] = ()
    single: bool = False
    empty: tuple[tuple[str, Expr], ...] = ()

    @property
    def visible(self) -> tuple[Field, ...]:
        """The fields that a star stands for."""
        return tuple(field for field in self.fields if not field.hidden)


def requalify(rows: Rows, qualifier: str, names: Sequence[str] | None = None) -> Rows:
    """The same rows under another relation name and, if given, other column names."""
    given = names or [field.name for field in rows.visible]
    pairs = zip(rows.visible, given, strict=False)
    renamed = tuple(Field(qualifier, name, field.value) for field, name in pairs)
    return replace(rows, fields=renamed)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression may use."""

    notes: Notes
    fields: tuple[Field, ...]
    open: bool = False
    parent: Scope | None = None
    plan: Plan | None = None  # of the rows that the fields are over

    def resolve(self, parts: Sequence[str], node: exp.Expr) -> Typed | None:
        """The value of a dotted name, here or in an outer query; None if there is no such column."""
        scope: Scope | None = self
        opened = False
        while scope is not None:
            value = scope._local(parts, node)
            if value is not None:
                self._check_distance(scope, parts, node)
                return value
            opened = opened or scope.open
            scope = scope.parent
        if opened:
            return Typed(Call("unknown", (), "NULL"))
        return None

    def _check_distance(self, scope: Scope, parts: Sequence[str], node: exp.Expr) -> None:
        if scope is not self and scope is not self.parent:
            self.notes.fail(
                "HW302",
                node,
                f'"{".".join(parts)}" is a column of a query further out',
                detail="In Spark a subquery sees its own columns and those of the query directly around it.",
                hint="join what the subqueries read in one of them, or give the column to the query between",
            )

    def _local(self, parts: Sequence[str], node: exp.Expr) -> Typed | None:
        if len(parts) > 1:
            qualified = [
                field
                for field in self.fields
                if same_name(field.qualifier, parts[0]) and same_name(field.name, parts[1])
            ]
            if qualified:
                return self._only(qualified, parts, parts[2:], node)
        plain = [field for field in self.fields if same_name(field.name, parts[0]) and not field.hidden]
        return self._only(plain, parts, parts[1:], node) if plain else None

    def _only(self, matches: list[Field], parts: Sequence[str], rest: Sequence[str], node: exp.Expr) -> Typed:
        if len({field.value.expr for field in matches}) > 1:
            name = ".".join(parts)
            candidates = [field.shown for field in matches]
            self.notes.fail(
                "HW303",
                node,
                f'"{name}" is ambiguous',
                detail=f"It may be {' or '.join(candidates)}.",
                hint="write the relation before the column, or give columns different names",
            )
        return field_access(self.notes, matches[0].value, rest, node)

    def reachable(self) -> tuple[Field, ...]:
        """The fields here and in the outer queries."""
        return self.fields + (self.parent.reachable() if self.parent is not None else ())

    def names(self, qualifier: str = "") -> list[str]:
        """The names that may be used here, for messages; with a qualifier, only its columns."""
        fields = [field for field in self.reachable() if same_name(field.qualifier, qualifier)]
        if qualifier and fields:
            return [f"{field.qualifier}.{field.name}" for field in fields]
        return list(dict.fromkeys(field.name for field in self.reachable()))

    def has_relation(self, qualifier: str) -> bool:
        return any(same_name(field.qualifier, qualifier) for field in self.fields)


def _text(value: Typed) -> str:
    written = value.expr.value if isinstance(value.expr, Literal) else None
    return written if isinstance(written, str) else ""


def field_access(notes: Notes, value: Typed, path: Sequence[str], node: exp.Expr) -> Typed:
    """value.a.b: fields of a struct (of each element, for an array of structs), values of a map."""
    for name in path:
        kind = value.type
        match = field_of(kind, name)
        if family(kind) == "struct" and match is None:
            notes.unknown("HW302", node, "there is no field", name, list(fields(kind)))
        if kind and family(kind) not in ("struct", "array", "map", "variant"):
            hint = f"in double quotes it is a text: write `{_text(value)}`" if _text(value) else ""
            notes.fail(
                "HW302", node, f'"{name}" is no field: the value before the dot is a {kind}', hint=hint
            )
        own, result = match or (name, "")
        quoted = own.replace("`", "``").replace("{", "{{").replace("}", "}}")
        name_literal = Literal(own, "'" + own.replace("\\", "\\\\").replace("'", "\\'") + "'")
        value = Typed(Call("field", (value.expr, name_literal), f"{{0}}.`{quoted}`"), result)
    return value
