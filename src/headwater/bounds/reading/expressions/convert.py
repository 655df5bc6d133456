"""From sqlglot's scalar expressions to ours.

What a bound or the executor must understand is taken apart (comparisons, arithmetic, a few functions); all
else becomes an opaque function of the columns and parameters in it, printed as it was written.  So every
expression that sqlglot parses has a form here, or a reason why not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from sqlglot import exp

from headwater.algebra.expressions.build import FALSE, NULL, TRUE, ZERO, aggregate_of, choose, concat, number
from headwater.algebra.expressions.facts import in_order
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Opaque,
    Subquery,
    call,
    conjuncts,
)
from headwater.bounds.query.block import Query
from headwater.bounds.reading.expressions.comparable import TypeOf, comparable_query, kind_of
from headwater.bounds.reading.expressions.comparisons import (
    OPERATORS,
    between,
    binary,
    is_test,
    membership,
    negated,
)
from headwater.bounds.reading.expressions.functions import Stability, stability_of
from headwater.bounds.reading.expressions.leaves import literal_of, name_parts, parameter_of
from headwater.bounds.reading.expressions.opaque import Inner, moment, opaque, word_search
from headwater.bounds.reading.expressions.row_membership import row_membership
from headwater.bounds.reading.expressions.scalars import known_scalar
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.scope import Scope
from headwater.errors import Place
from headwater.model import SqlText

__all__ = ["Reader", "conditions_of", "convert", "in_view", "place_of"]


class Reader(Protocol):
    """What the converter needs of the block reader: subqueries, places of nodes, types of columns."""

    def subquery(self, node: exp.Expr, scope: Scope) -> tuple[Query, Scope]: ...

    def place(self, node: exp.Expr) -> Place | None: ...

    def note(self, *parts: exp.Expr) -> None: ...

    def type_of(self, column: Column) -> str: ...


_UNARY: dict[type[exp.Expr], str] = {
    exp.Lower: "lower", exp.Upper: "upper", exp.Length: "length", exp.Abs: "abs", exp.Neg: "neg",
}  # fmt: skip


def place_of(node: exp.Expr, at: Callable[[int, int], Place]) -> Place | None:
    """The place of the first name or word in a node that knows where it stands.

    Nodes of a view that is spread where it is named stand in the view's text (`in_view`).
    """
    for part in node.walk(bfs=False):
        if "start" in part.meta:
            view: SqlText | None = part.meta.get("view")
            length = part.meta["end"] + 1 - part.meta["start"]
            return (at if view is None else view.place)(part.meta["start"], length)
    return None


def in_view(tree: exp.Expr, sql: SqlText) -> exp.Expr:
    """The tree of a view, whose nodes know the text that they stand in."""
    for part in tree.walk():
        if "start" in part.meta:
            part.meta["view"] = sql
    return tree


@dataclass(frozen=True, slots=True)
class _Parts:
    """Reads the parts of an expression: `Inner`."""

    scope: Scope
    reader: Reader

    def __call__(self, part: exp.Expr) -> Expr:
        return convert(part, self.scope, self.reader)

    def note(self, *parts: exp.Expr) -> None:
        self.reader.note(*parts)


def convert(node: exp.Expr, scope: Scope, reader: Reader) -> Expr:
    inner = _Parts(scope, reader)
    inner.note(node)
    kind = type(node)
    if kind in OPERATORS:
        return binary(node, inner, reader.type_of)
    if kind in _UNARY and isinstance(node.this, exp.Expr):
        return call(_UNARY[kind], inner(node.this))
    match node:
        case exp.Paren() | exp.Alias():
            return inner(node.this)
        case exp.Column():
            return _column(node, scope, reader)
        case exp.Literal() | exp.Boolean() | exp.Null():
            return literal_of(node)
        case exp.National():
            return literal_of(exp.Literal.string(node.name))
        case exp.Placeholder() | exp.Parameter():
            inner.note(*name_parts(node))
            return parameter_of(node)
        case exp.Not():
            return negated(inner(node.this))
        case exp.Is():
            return is_test(node, inner)
        case exp.Between():
            return between(node, inner, reader.type_of)
        case exp.In() if node.args.get("query") is not None:
            query, below = reader.subquery(node.args["query"], scope)
            row = row_membership(node, query, frozenset(below.outer_columns), inner, reader.type_of)
            if row is not None:
                inner.note(node.this)
                return row
            term, query = comparable_query(inner(node.this), query, reader.type_of)
            return Subquery("in", query, term, in_order(below.outer_columns))
        case exp.In():
            return membership(node, inner, reader.type_of)
        case exp.Exists() if isinstance(node.this, exp.Select | exp.SetOperation | exp.Subquery):
            query, below = reader.subquery(node.this, scope)
            return Subquery("exists", query, None, in_order(below.outer_columns))
        case exp.Subquery() | exp.Select() | exp.SetOperation():
            query, below = reader.subquery(node, scope)
            return Subquery("scalar", query, None, in_order(below.outer_columns))
        case exp.Coalesce() if not node.args.get("is_nvl"):
            return call("coalesce", inner(node.this), *map(inner, node.expressions))
        case exp.DPipe():
            return concat(inner(node.this), inner(node.expression))
        case exp.Concat():
            return _concat([inner(part) for part in node.expressions])
        case exp.Escape() if isinstance(node.this, exp.Like):
            pattern = node.this
            inner.note(pattern)
            arguments = (inner(pattern.this), inner(pattern.expression), inner(node.expression))
            return Call("like", arguments, "({0} LIKE {1} ESCAPE {2})")
        case exp.Filter():
            return _filtered(node, inner)
        case exp.AggFunc() if not isinstance(node.parent, exp.Window):
            return _aggregate(node, inner)
        case exp.Case():
            return _case(node, inner)
        case exp.If():
            otherwise = node.args.get("false")
            return choose(
                inner(node.this), inner(node.args["true"]), NULL if otherwise is None else inner(otherwise)
            )
    if stability_of(node) is Stability.MOMENT:
        return moment(node, inner)
    known = known_scalar(node, inner, reader.type_of)
    if known is not None:
        return known
    return word_search(node, inner) or _for_each_row(opaque(node, inner), scope)


def _for_each_row(expr: Expr, scope: Scope) -> Expr:
    """A volatile call as a function of every source's row: it is evaluated for each of them, never before."""
    if not (isinstance(expr, Opaque) and expr.volatile):
        return expr
    return replace(expr, arguments=(*expr.arguments, *scope.a_column_of_each_source()))


def conditions_of(node: exp.Expr, scope: Scope, reader: Reader) -> tuple[Expr, ...]:
    """The conditions of a conjunction; TRUE is none."""
    conditions = (
        _compared(condition, reader.type_of) for condition in conjuncts(convert(node, scope, reader))
    )
    return tuple(condition for condition in conditions if condition != TRUE)


def _compared(condition: Expr, type_of: TypeOf) -> Expr:
    """A column by itself as the comparison it stands for, which an index can be bound to.

    A boolean is compared with TRUE, a number with zero, as MySQL and SQLite have it; a text stays as it is.
    """
    column = (
        condition.arguments[0] if isinstance(condition, Call) and condition.function == "not" else condition
    )
    if not isinstance(column, Column):
        return condition
    is_negated = column is not condition
    match kind_of(column, type_of):
        case "boolean":
            return call("eq", column, FALSE if is_negated else TRUE)
        case "number":
            return call("eq" if is_negated else "neq", column, ZERO)
        case _:
            return condition


def _column(node: exp.Column, scope: Scope, reader: Reader) -> Expr:
    if isinstance(node.this, exp.Star):
        raise NotAnalysed("a star stands where a column is needed", reader.place(node))
    if node.args.get("join_mark"):
        raise NotAnalysed("the outer join sign (+) is not understood: write LEFT JOIN", reader.place(node))
    return scope.find(node.table or None, node.name, lambda: reader.place(node))[1]


def _concat(parts: list[Expr]) -> Expr:
    whole = parts[0]
    for part in parts[1:]:
        whole = concat(whole, part)
    return whole


def _case(node: exp.Case, inner: Inner) -> Expr:
    """CASE as (when, then, when, then, ..., else)."""
    arguments: list[Expr] = []
    text = "CASE"
    for branch in node.args.get("ifs") or []:
        inner.note(branch)
        when = (
            branch.this if node.this is None else exp.EQ(this=node.this.copy(), expression=branch.this.copy())
        )
        arguments += [inner(when), inner(branch.args["true"])]
        text += f" WHEN {{{len(arguments) - 2}}} THEN {{{len(arguments) - 1}}}"
    default = node.args.get("default")
    arguments.append(inner(default) if default is not None else NULL)
    return Call("case", tuple(arguments), f"{text} ELSE {{{len(arguments) - 1}}} END")


def _filtered(node: exp.Filter, inner: Inner) -> Expr:
    """agg(x) FILTER (WHERE c) as agg(CASE WHEN c THEN x END)."""
    inner.note(node.expression)
    whole, condition = inner(node.this), inner(node.expression.this)
    if not isinstance(whole, AggregateCall):
        return opaque(node, inner)
    value = whole.arguments[0] if whole.arguments else number(1)
    chosen = choose(condition, value, NULL)
    return aggregate_of(whole.function, chosen, *whole.arguments[1:], distinct=whole.distinct)


_SAME = {
    "stddevsamp": "stddev",
    "average": "avg",
    "variancesamp": "variance",
    "varsamp": "variance",
    "logicalor": "max",
    "logicaland": "min",
}  # FALSE comes before TRUE


def _aggregate(node: exp.AggFunc, inner: Inner) -> Expr:
    name = _SAME.get(node.key, node.key)
    target = node.this
    if isinstance(node, exp.Count) and isinstance(target, exp.Star | exp.Literal):
        inner.note(target)
        return aggregate_of("count")
    distinct = isinstance(target, exp.Distinct)
    inner.note(*([target] if distinct else []))
    values = (node.args.get(key) for key in node.arg_types if not (distinct and key == "this"))
    others = [item for value in values for item in (value if isinstance(value, list) else [value])]
    written = [*(target.expressions if distinct else []), *others]
    arguments = tuple(inner(argument) for argument in written if isinstance(argument, exp.Expr))
    return aggregate_of(name, *arguments, distinct=distinct)
