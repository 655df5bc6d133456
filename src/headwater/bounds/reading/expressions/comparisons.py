"""Operators of two operands, comparisons of rows, IN, IS, and NOT pushed inwards."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.expressions.build import FALSE, TRUE, concat
from headwater.algebra.expressions.facts import is_value
from headwater.algebra.expressions.tree import (
    Call,
    Expr,
    Literal,
    Opaque,
    Parameter,
    call,
    conjunction,
    disjunction,
)
from headwater.bounds.reading.expressions.comparable import TypeOf, comparable, comparable_list, kind_of
from headwater.bounds.reading.expressions.leaves import name_parts, parameter_of
from headwater.bounds.reading.expressions.opaque import Inner, opaque
from headwater.bounds.reading.not_analysed import NotAnalysed

__all__ = ["OPERATORS", "between", "binary", "is_test", "membership", "negated", "unknown_is_false"]

OPERATORS: dict[type[exp.Expr], str] = {
    exp.And: "and", exp.Or: "or", exp.EQ: "eq", exp.NEQ: "neq", exp.LT: "lt", exp.LTE: "lte", exp.GT: "gt",
    exp.GTE: "gte", exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div", exp.Mod: "mod",
    exp.Like: "like", exp.NullSafeEQ: "nulleq", exp.NullSafeNEQ: "nulleq",
}  # fmt: skip
_ORDER_OF_FIRST = {"lt": "lt", "lte": "lt", "gt": "gt", "gte": "gt"}
_OPPOSITE = {"eq": "neq", "neq": "eq", "lt": "gte", "gte": "lt", "gt": "lte", "lte": "gt",
             "is_null": "not_null", "not_null": "is_null"}  # fmt: skip


_CASE = "CASE WHEN {0} THEN {1} ELSE {2} END"
_OF_NUMBERS = {"mul", "div", "mod"}
_COMPARING = {"eq", "neq", "lt", "lte", "gt", "gte", "nulleq"}


def binary(node: exp.Expr, inner: Inner, type_of: TypeOf) -> Expr:
    left, right = node.this, node.expression
    if isinstance(node, exp.EQ) and isinstance(right, exp.Any):
        inner.note(right)
        return _list(left, right.this, inner, type_of)
    if isinstance(node, exp.NEQ) and isinstance(right, exp.All) and not isinstance(right.this, exp.Query):
        inner.note(right)
        return negated(_list(left, right.this, inner, type_of))  # <> ALL (:values) is NOT IN
    operator = OPERATORS[type(node)]
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        inner.note(left, right)
        if operator == "eq":
            return _row_equality(left, right, inner, type_of)
        if operator in _ORDER_OF_FIRST:
            return _row_order(operator, left, right, inner, type_of)
    sides = inner(left), inner(right)
    if operator == "add" and isinstance(node.find(exp.National), exp.National):
        return concat(*sides)  # N'...' is a text of SQL Server's, where + joins texts
    if operator in _OF_NUMBERS and "time" in {kind_of(side, type_of) for side in sides}:
        raise NotAnalysed("it computes a number from a time")
    if isinstance(node, exp.NullSafeNEQ):
        return call("not", call("nulleq", *comparable(*sides, type_of)))
    if operator == "nulleq" and is_value(sides[0]) != is_value(sides[1]) and unknown_is_false(node):
        is_never_null = any(isinstance(side, Literal) and side.value is not None for side in sides)
        both = comparable(*sides, type_of)
        return call("eq", *both) if is_never_null else _same_or_both_null(*both)
    return call(operator, *(comparable(*sides, type_of) if operator in _COMPARING else sides))


def unknown_is_false(node: exp.Expr) -> bool:
    """Is the node a condition that does the same if it is false and if it is unknown?"""
    above = node.parent
    while isinstance(above, exp.And | exp.Or | exp.Paren):
        node, above = above, above.parent
    if isinstance(above, exp.If):  # CASE WHEN node THEN ..., and not CASE node WHEN ...
        compared = isinstance(above.parent, exp.Case) and above.parent.this is not None
        return above.this is node and not compared
    return isinstance(above, exp.Where | exp.Having | exp.Join)


def _same_or_both_null(left: Expr, right: Expr) -> Expr:
    """x IS NOT DISTINCT FROM :p as two conditions that an index answers."""
    both = call("and", call("is_null", left), call("is_null", right))
    return call("or", call("eq", left, right), both)


def between(node: exp.Between, inner: Inner, type_of: TypeOf) -> Expr:
    """x BETWEEN a AND b as two comparisons; SYMMETRIC is also true the other way round."""
    term, low, high = inner(node.this), inner(node.args["low"]), inner(node.args["high"])

    def within(least: Expr, most: Expr) -> Expr:
        above = call("gte", *comparable(term, least, type_of))
        return call("and", above, call("lte", *comparable(term, most, type_of)))

    return (
        call("or", within(low, high), within(high, low)) if node.args.get("symmetric") else within(low, high)
    )


def _row_order(operator: str, left: exp.Tuple, right: exp.Tuple, inner: Inner, type_of: TypeOf) -> Expr:
    """(a, b) < (x, y) as a < x OR (a = x AND b < y): each branch is one range."""
    if len(left.expressions) != len(right.expressions) or not left.expressions:
        raise NotAnalysed("it compares rows of different lengths")
    both = zip(left.expressions, right.expressions, strict=True)
    pairs = [comparable(inner(a), inner(b), type_of) for a, b in both]
    whole: Expr = call(operator, *pairs[-1])
    for first, second in reversed(pairs[:-1]):
        beyond = call(_ORDER_OF_FIRST[operator], first, second)
        whole = call("or", beyond, call("and", call("eq", first, second), whole))
    return whole


def _row_equality(left: exp.Tuple, right: exp.Tuple, inner: Inner, type_of: TypeOf) -> Expr:
    both = zip(left.expressions, right.expressions, strict=False)
    pairs = tuple(call("eq", *comparable(inner(a), inner(b), type_of)) for a, b in both)
    whole = conjunction(pairs)
    if len(left.expressions) != len(right.expressions) or whole is None:
        raise NotAnalysed("it compares rows of different lengths")
    return whole


def _list(term: exp.Expr, values: exp.Expr, inner: Inner, type_of: TypeOf) -> Expr:
    """x = ANY (:values) and x = ANY (ARRAY[1, 2]) as an IN."""
    while isinstance(values, exp.Paren | exp.Cast):
        inner.note(values)
        values = values.this
    inner.note(values)
    if isinstance(values, exp.Placeholder | exp.Parameter):
        inner.note(*name_parts(values))
        return call("in", inner(term), parameter_of(values))
    if isinstance(values, exp.Array) and not values.find(exp.Select):
        return membership(exp.In(this=term.copy(), expressions=values.copy().expressions), inner, type_of)
    return Opaque("any", (inner(term), inner(values)), "{0} = ANY ({1})")


def negated(expr: Expr) -> Expr:
    """NOT pushed inwards where three-valued logic allows it."""
    match expr:
        case Call("and", (left, right)):
            return call("or", negated(left), negated(right))
        case Call("or", (left, right)):
            return call("and", negated(left), negated(right))
        case Call("not", (inner,)):
            return inner
        case Call("eq", (Call("token"), _)):
            return call("not", expr)
        case Call(function, arguments) if function in _OPPOSITE:
            return call(_OPPOSITE[function], *arguments)
        case Call("in", (term, *values)) if len(values) > 1 or not isinstance(values[0], Parameter):
            return conjunction(tuple(call("neq", term, value) for value in values)) or TRUE
        case _:
            return call("not", expr)


def is_test(node: exp.Is, inner: Inner) -> Expr:
    negate = bool(node.args.get("negate"))
    inner.note(node.expression)
    if isinstance(node.expression, exp.Null):
        return call("not_null" if negate else "is_null", inner(node.this))
    if isinstance(node.expression, exp.Boolean):
        return _is_truth(inner(node.this), bool(node.expression.this), negate, unknown_is_false(node))
    return opaque(node, inner)


def _is_truth(value: Expr, truth: bool, negate: bool, unknown_is_false: bool) -> Expr:
    """value IS [NOT] TRUE or FALSE, which is never unknown."""
    wanted = value if truth else negated(value)
    if unknown_is_false and not negate:
        return wanted
    return Call("case", (wanted, FALSE, TRUE) if negate else (wanted, TRUE, FALSE), _CASE)


def membership(node: exp.In, inner: Inner, type_of: TypeOf) -> Expr:
    """x IN (values), over rows too; a list that is one parameter stays one."""
    field = node.args.get("field") or node.args.get("unnest")
    if field is not None:
        leaf = field.find(exp.Placeholder, exp.Parameter)
        if leaf is None:
            return opaque(node, inner)
        inner.note(field, leaf, *name_parts(leaf))
        return call("in", inner(node.this), parameter_of(leaf))
    if isinstance(node.this, exp.Tuple):
        inner.note(node.this)
        rows = [inner(exp.EQ(this=node.this.copy(), expression=row.copy())) for row in node.expressions]
        return disjunction(tuple(rows)) or FALSE
    term, values = comparable_list(inner(node.this), [inner(value) for value in node.expressions], type_of)
    if len(values) == 1 and not isinstance(values[0], Parameter):
        return call("eq", term, values[0])
    return call("in", term, *dict.fromkeys(values)) if values else FALSE
