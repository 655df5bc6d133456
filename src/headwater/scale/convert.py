"""From sqlglot's scalar expressions to ours.

What a bound or the executor must understand is taken apart (comparisons, arithmetic, a few functions); all
else becomes an opaque function of the columns and parameters in it, printed as it was written.  So every
expression that sqlglot parses has a form here, or a reason why not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from sqlglot import exp

from headwater.errors import Place
from headwater.scale.block import Query
from headwater.scale.expr import Aggregate, Col, Expr, Fn, Lit, Param, SubQuery, call
from headwater.scale.notanalysed import NotAnalysed
from headwater.scale.scope import Scope

__all__ = ["NOW", "Reader", "convert", "place_of"]

NOW = Param("$now")  # CURRENT_TIMESTAMP and its like: known when a query starts, different every time


class Reader(Protocol):
    """What the converter needs of the block reader: subqueries, and the places of nodes."""

    def subquery(self, node: exp.Expr, scope: Scope) -> tuple[Query, Scope]: ...

    def place(self, node: exp.Expr) -> Place | None: ...


_BINARY: dict[type[exp.Expr], str] = {
    exp.And: "and", exp.Or: "or", exp.EQ: "eq", exp.NEQ: "neq", exp.LT: "lt", exp.LTE: "lte", exp.GT: "gt",
    exp.GTE: "gte", exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div", exp.Mod: "mod",
    exp.Like: "like", exp.DPipe: "concat", exp.NullSafeEQ: "nulleq",
}  # fmt: skip
_UNARY: dict[type[exp.Expr], str] = {
    exp.Lower: "lower", exp.Upper: "upper", exp.Length: "length", exp.Abs: "abs", exp.Neg: "neg",
}  # fmt: skip
_NOW = (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime, exp.CurrentDatetime)
_VOLATILE = (exp.Rand, exp.Randn, exp.Uuid)
_LEAVES = (exp.Column, exp.Placeholder, exp.Parameter, exp.Subquery, exp.Select, exp.SetOperation, *_NOW)


def place_of(node: exp.Expr, at: Callable[[int, int], Place]) -> Place | None:
    """The place of the first name or word in a node that knows where it stands."""
    for part in node.walk(bfs=False):
        if "start" in part.meta:
            return at(part.meta["start"], part.meta["end"] + 1 - part.meta["start"])
    return None


def convert(node: exp.Expr, scope: Scope, reader: Reader) -> Expr:
    def inner(child: exp.Expr) -> Expr:
        return convert(child, scope, reader)

    kind = type(node)
    if kind in _BINARY:
        return _binary(node, inner)
    if kind in _UNARY and isinstance(node.this, exp.Expr):
        return call(_UNARY[kind], inner(node.this))
    match node:
        case exp.Paren() | exp.Alias():
            return inner(node.this)
        case exp.Column():
            return _column(node, scope, reader)
        case exp.Literal() | exp.Boolean() | exp.Null():
            return _literal(node)
        case exp.Placeholder() | exp.Parameter():
            return _parameter(node)
        case exp.Not():
            return _negated(inner(node.this))
        case exp.Is():
            return _is(node, inner)
        case exp.Between():
            low, high = call("gte", inner(node.this), inner(node.args["low"])), inner(node.args["high"])
            return call("and", low, call("lte", inner(node.this), high))
        case exp.In():
            return _in(node, scope, reader, inner)
        case exp.Exists() if isinstance(node.this, exp.Select | exp.SetOperation | exp.Subquery):
            query, below = reader.subquery(node.this, scope)
            return SubQuery("exists", query, None, _outer(below))
        case exp.Subquery() | exp.Select() | exp.SetOperation():
            query, below = reader.subquery(node, scope)
            return SubQuery("scalar", query, None, _outer(below))
        case exp.Coalesce() if not node.args.get("is_nvl"):
            return call("coalesce", inner(node.this), *(inner(one) for one in node.expressions))
        case exp.Concat():
            return _concat([inner(one) for one in node.expressions])
        case exp.Filter():
            return _filtered(node, inner)
        case exp.AggFunc() if not isinstance(node.parent, exp.Window):
            return _aggregate(node, inner)
        case exp.Case():
            return _case(node, inner)
    if isinstance(node, _NOW) or (isinstance(node, exp.Anonymous) and node.name.upper() == "NOW"):
        return NOW
    return _token(node, inner) or _opaque(node, inner)


def _outer(scope: Scope) -> tuple[Col, ...]:
    return tuple(sorted(scope.outer_columns, key=repr))


def _binary(node: exp.Expr, inner: Callable[[exp.Expr], Expr]) -> Expr:
    left, right = node.this, node.expression
    if isinstance(node, exp.EQ) and isinstance(right, exp.Any):
        return _list(inner(left), right.this, inner)
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple) and isinstance(node, exp.EQ):
        return _row_equality(left, right, inner)
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple) and _BINARY[type(node)] in _STEPS:
        return _row_order(_BINARY[type(node)], left, right, inner)
    return call(_BINARY[type(node)], inner(left), inner(right))


_STEPS = {"lt": "lt", "lte": "lt", "gt": "gt", "gte": "gt"}


def _row_order(op: str, left: exp.Tuple, right: exp.Tuple, inner: Callable[[exp.Expr], Expr]) -> Expr:
    """(a, b) < (x, y) as a < x OR (a = x AND b < y): each branch is one range."""
    if len(left.expressions) != len(right.expressions) or not left.expressions:
        raise NotAnalysed("it compares rows of different lengths")
    pairs = [(inner(a), inner(b)) for a, b in zip(left.expressions, right.expressions, strict=True)]
    whole: Expr = call(op, *pairs[-1])
    for first, second in reversed(pairs[:-1]):
        whole = call("or", call(_STEPS[op], first, second), call("and", call("eq", first, second), whole))
    return whole


def _row_equality(left: exp.Tuple, right: exp.Tuple, inner: Callable[[exp.Expr], Expr]) -> Expr:
    pairs = [
        call("eq", inner(a), inner(b)) for a, b in zip(left.expressions, right.expressions, strict=False)
    ]
    if len(left.expressions) != len(right.expressions) or not pairs:
        raise NotAnalysed("it compares rows of different lengths")
    whole: Expr = pairs[0]
    for pair in pairs[1:]:
        whole = call("and", whole, pair)
    return whole


def _list(operand: Expr, values: exp.Expr, inner: Callable[[exp.Expr], Expr]) -> Expr:
    if isinstance(values, exp.Paren):
        values = values.this
    if isinstance(values, exp.Placeholder | exp.Parameter):
        return call("in", operand, _parameter(values))
    return Fn("any", (operand, inner(values)), "{0} = ANY ({1})")


def _column(node: exp.Column, scope: Scope, reader: Reader) -> Expr:
    if isinstance(node.this, exp.Star):
        raise NotAnalysed("a star stands where a column is needed", reader.place(node))
    return scope.find(node.table or None, node.name, lambda: reader.place(node))[1]


def _literal(node: exp.Expr) -> Lit:
    match node:
        case exp.Null():
            return Lit(None, "NULL")
        case exp.Boolean():
            return Lit(bool(node.this), str(bool(node.this)).upper())
        case _ if node.args.get("is_string"):
            return Lit(str(node.this), "'" + str(node.this).replace("'", "''") + "'")
        case _:
            text = str(node.this)
            return Lit(int(text) if re.fullmatch(r"\d+", text) else _number(text), text)


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _parameter(node: exp.Expr) -> Param:
    name = node.this
    return Param(str(name.name if isinstance(name, exp.Expr) else name or "p"))


def _negated(expr: Expr) -> Expr:
    """NOT pushed inwards where three-valued logic allows it."""
    flip = {"eq": "neq", "neq": "eq", "lt": "gte", "gte": "lt", "gt": "lte", "lte": "gt",
            "is_null": "not_null", "not_null": "is_null"}  # fmt: skip
    match expr:
        case Fn("and", (left, right)):
            return call("or", _negated(left), _negated(right))
        case Fn("or", (left, right)):
            return call("and", _negated(left), _negated(right))
        case Fn("not", (one,)):
            return one
        case Fn("eq", (Fn("token"), _)):
            return call("not", expr)
        case Fn(name, arguments) if name in flip:
            return call(flip[name], *arguments)
        case Fn("in", (one, *values)) if len(values) > 1 or not isinstance(values[0], Param):
            whole: Expr = call("neq", one, values[0])
            for value in values[1:]:
                whole = call("and", whole, call("neq", one, value))
            return whole
        case _:
            return call("not", expr)


def _is(node: exp.Is, inner: Callable[[exp.Expr], Expr]) -> Expr:
    negate = bool(node.args.get("negate"))
    if isinstance(node.expression, exp.Null):
        return call("not_null" if negate else "is_null", inner(node.this))
    if isinstance(node.expression, exp.Boolean) and not negate and node.expression.this:
        return inner(node.this)
    return _opaque(node, inner)


def _in(node: exp.In, scope: Scope, reader: Reader, inner: Callable[[exp.Expr], Expr]) -> Expr:
    query = node.args.get("query")
    if query is not None:
        block, below = reader.subquery(query, scope)
        return SubQuery("in", block, inner(node.this), _outer(below))
    field = node.args.get("field") or node.args.get("unnest")
    if field is not None:
        leaf = field.find(exp.Placeholder, exp.Parameter)
        if leaf is not None:
            return call("in", inner(node.this), _parameter(leaf))
        return _opaque(node, inner)
    if isinstance(node.this, exp.Tuple):
        rows = [inner(exp.EQ(this=node.this.copy(), expression=one.copy())) for one in node.expressions]
        whole = rows[0]
        for row in rows[1:]:
            whole = call("or", whole, row)
        return whole
    values = [inner(one) for one in node.expressions]
    if len(values) == 1 and not isinstance(values[0], Param):
        return call("eq", inner(node.this), values[0])
    return call("in", inner(node.this), *dict.fromkeys(values)) if values else Lit(False, "FALSE")


def _concat(parts: list[Expr]) -> Expr:
    whole = parts[0]
    for part in parts[1:]:
        whole = call("concat", whole, part)
    return whole


def _case(node: exp.Case, inner: Callable[[exp.Expr], Expr]) -> Expr:
    """CASE as (when, then, when, then, ..., else)."""
    arguments: list[Expr] = []
    text = "CASE"
    for branch in node.args.get("ifs") or []:
        when = (
            branch.this if node.this is None else exp.EQ(this=node.this.copy(), expression=branch.this.copy())
        )
        arguments += [inner(when), inner(branch.args["true"])]
        text += f" WHEN {{{len(arguments) - 2}}} THEN {{{len(arguments) - 1}}}"
    default = node.args.get("default")
    arguments.append(inner(default) if default is not None else Lit(None, "NULL"))
    return Fn("case", tuple(arguments), f"{text} ELSE {{{len(arguments) - 1}}} END")


def _filtered(node: exp.Filter, inner: Callable[[exp.Expr], Expr]) -> Expr:
    """agg(x) FILTER (WHERE c) as agg(CASE WHEN c THEN x END)."""
    whole, condition = inner(node.this), inner(node.expression.this)
    if not isinstance(whole, Aggregate):
        return whole
    value = whole.arguments[0] if whole.arguments else Lit(1, "1")
    chosen = Fn("case", (condition, value, Lit(None, "NULL")), "CASE WHEN {0} THEN {1} ELSE {2} END")
    template = whole.template.replace("*", "{0}") if not whole.arguments else whole.template
    return Aggregate(whole.function, (chosen, *whole.arguments[1:]), template, whole.distinct)


_SAME = {"stddevsamp": "stddev", "average": "avg", "variancesamp": "variance", "varsamp": "variance"}


def _aggregate(node: exp.AggFunc, inner: Callable[[exp.Expr], Expr]) -> Expr:
    name = _SAME.get(node.key, node.key)
    target = node.this
    if isinstance(node, exp.Count) and isinstance(target, exp.Star | exp.Literal):
        return Aggregate("count", (), "COUNT(*)")
    distinct = isinstance(target, exp.Distinct)
    written = list(target.expressions) if distinct else [target, *node.expressions]
    arguments = tuple(inner(one) for one in written if isinstance(one, exp.Expr))
    slots = ", ".join(f"{{{index}}}" for index in range(len(arguments)))
    return Aggregate(name, arguments, f"{name.upper()}({'DISTINCT ' if distinct else ''}{slots})", distinct)


def _token(node: exp.Expr, inner: Callable[[exp.Expr], Expr]) -> Expr | None:
    """Word search, as various dialects write it: TOKEN(col) = :word, which an inverted index answers."""

    def contains(column: exp.Expr, word: exp.Expr) -> Expr:
        return call("eq", call("token", inner(column)), inner(word))

    match node:
        case exp.MatchAgainst() if len(node.expressions) == 1:
            word = node.this
            if isinstance(word, exp.Anonymous) and len(word.expressions) == 1:
                word = word.expressions[0]
            column = node.expressions[0]
            if isinstance(column, exp.Anonymous) and column.expressions:
                column = column.expressions[-1]
            return contains(column, word)
        case exp.ArrayContains() if isinstance(node.this, exp.Split):
            return contains(node.this.this, node.expression)
        case exp.Anonymous() if node.name.upper() in ("TOKEN", "TOKENS") and len(node.expressions) == 1:
            return call("token", inner(node.expressions[0]))
        case exp.Anonymous() if node.name.upper() == "CONTAINS_TOKEN" and len(node.expressions) == 2:
            return contains(node.expressions[0], node.expressions[1])
        case _:
            return None


def _opaque(node: exp.Expr, inner: Callable[[exp.Expr], Expr]) -> Expr:
    """A function of the columns, parameters and subqueries in it."""
    copy = node.copy()
    leaves: list[exp.Expr] = []
    pending: list[exp.Expr] = [copy]
    while pending:
        part = pending.pop()
        if part is not copy and (isinstance(part, _LEAVES) or _is_aggregate(part)):
            leaves.append(part)
        else:
            pending += list(part.iter_expressions(reverse=True))
    arguments = [inner(leaf) for leaf in leaves]
    for index, leaf in enumerate(leaves):
        leaf.replace(exp.Identifier(this=f"hw_{index}_arg", quoted=False))
    text = copy.sql().replace("{", "{{").replace("}", "}}")
    template = re.sub(r"hw_(\d+)_arg", r"{\1}", text)
    volatile = any(True for _ in node.find_all(*_VOLATILE))
    return Fn(_opaque_name(node), tuple(arguments), template, volatile)


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)


def _opaque_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Cast):
        return f"cast_{node.to.sql().lower()}"
    return node.name.lower() if isinstance(node, exp.Anonymous) else node.key
