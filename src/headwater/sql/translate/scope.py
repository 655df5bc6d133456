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

from headwater.algebra.expressions import Call, Expr, Literal
from headwater.algebra.nodes import Plan
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.types import family, field_of, fields

__all__ = ["Field", "Rows", "Scope", "Typed", "field_access", "requalify"]


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression with what is known of its value."""

    expr: Expr
    type: str = ""
    nullable: bool = True


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
    """

    plan: Plan
    fields: tuple[Field, ...]
    open: bool = False
    correlated: tuple[Expr, ...] = ()


def requalify(rows: Rows, qualifier: str, names: Sequence[str] | None = None) -> Rows:
    """The same rows under another relation name and, if given, other column names."""
    visible = [one for one in rows.fields if not one.hidden]
    given = names or [one.name for one in visible]
    renamed = tuple(Field(qualifier, name, one.value) for one, name in zip(visible, given, strict=False))
    return replace(rows, fields=renamed, correlated=())


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression may use."""

    notes: Notes
    fields: tuple[Field, ...]
    open: bool = False
    parent: Scope | None = None

    def resolve(self, parts: Sequence[str], node: exp.Expr) -> Typed | None:
        """The value of a dotted name here or in the query around; None when unknown and that may be."""
        scope: Scope | None = self
        opened = False
        while scope is not None:
            found = scope._local(parts, node)
            if found is not None:
                return found
            opened = opened or scope.open
            scope = scope.parent
        if opened:
            return Typed(Call("unknown", (), "NULL"))
        return None

    def _local(self, parts: Sequence[str], node: exp.Expr) -> Typed | None:
        if len(parts) > 1:
            qualified = [
                one for one in self.fields if _same(one.qualifier, parts[0]) and _same(one.name, parts[1])
            ]
            if qualified:
                return self._one(qualified, parts, parts[2:], node)
        plain = [one for one in self.fields if _same(one.name, parts[0]) and not one.hidden]
        return self._one(plain, parts, parts[1:], node) if plain else None

    def _one(self, found: list[Field], parts: Sequence[str], rest: Sequence[str], node: exp.Expr) -> Typed:
        if len({one.value.expr for one in found}) > 1:
            name = ".".join(parts)
            candidates = [one.shown for one in found]
            self.notes.fail(
                "HW303",
                node,
                f'"{name}" is ambiguous',
                detail=f"It may be {' or '.join(candidates)}.",
                hint="write the relation before the column, or give columns different names",
            )
        return field_access(self.notes, found[0].value, rest, node)

    def reachable(self) -> tuple[Field, ...]:
        """The fields here and in the queries around."""
        return self.fields + (self.parent.reachable() if self.parent is not None else ())

    def names(self, qualifier: str = "") -> list[str]:
        """The names in reach, for messages; with a qualifier, its columns alone."""
        known = [one for one in self.reachable() if _same(one.qualifier, qualifier)]
        if qualifier and known:
            return [f"{one.qualifier}.{one.name}" for one in known]
        return list(dict.fromkeys(one.name for one in self.reachable()))

    def has_relation(self, qualifier: str) -> bool:
        return any(_same(one.qualifier, qualifier) for one in self.fields)


def _same(left: str, right: str) -> bool:
    return left.lower() == right.lower()


def field_access(notes: Notes, value: Typed, path: Sequence[str], node: exp.Expr) -> Typed:
    """value.a.b: fields of a struct (of each element, for an array of structs), values of a map."""
    for name in path:
        kind = value.type
        found = field_of(kind, name)
        if family(kind) == "struct" and found is None:
            notes.unknown("HW302", node, "there is no field", name, list(fields(kind)))
        if kind and family(kind) not in ("struct", "array", "map", "variant"):
            notes.fail("HW302", node, f'"{name}" is no field: the value before the dot is a {kind}')
        own, result = found or (name, "")
        escaped = own.replace("`", "``").replace("{", "{{").replace("}", "}}")
        name_ = Literal(own, "'" + own.replace("\\", "\\\\").replace("'", "\\'") + "'")
        value = Typed(Call("field", (value.expr, name_), f"{{0}}.`{escaped}`"), result)
    return value
