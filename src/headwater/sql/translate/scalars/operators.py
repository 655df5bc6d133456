"""Operators: =, AND, +, LIKE, IN, BETWEEN, IS, and whatever else has a syntax of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Literal, call
from headwater.sql.translate.scalars.clashes import check_arithmetic, check_boolean, check_comparison
from headwater.sql.translate.scalars.extracted import check_part
from headwater.sql.translate.scalars.literals import escaped, text
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import arithmetic, decimal, family, of_literal

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["cast_to", "query_of", "translate_operator"]

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "eq", exp.NEQ: "neq", exp.LT: "lt", exp.LTE: "lte", exp.GT: "gt", exp.GTE: "gte",
    exp.NullSafeEQ: "nulleq",
}  # fmt: skip
_ARITHMETIC: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Add: ("add", "+"), exp.Sub: ("sub", "-"), exp.Mul: ("mul", "*"), exp.Div: ("div", "/"),
    exp.Mod: ("mod", "%"), exp.IntDiv: ("int_div", "DIV"),
}  # fmt: skip
_OTHER: dict[type[exp.Expr], tuple[str, str, str]] = {
    exp.DPipe: ("concat", "||", "string"),
    exp.BitwiseAnd: ("bitwise_and", "&", ""), exp.BitwiseOr: ("bitwise_or", "|", ""),
    exp.BitwiseXor: ("bitwise_xor", "^", ""), exp.BitwiseLeftShift: ("shiftleft", "<<", ""),
    exp.BitwiseRightShift: ("shiftright", ">>", ""),
    exp.RegexpLike: ("rlike", "RLIKE", "boolean"),
}  # fmt: skip


def query_of(node: exp.Expr) -> exp.Expr | None:
    """The subquery of an IN, EXISTS, ANY or ALL."""
    match node:
        case exp.In():
            inner = node.args.get("query")
        case exp.Exists() | exp.Any() | exp.All():
            inner = node.this
        case _:
            return None
    while isinstance(inner, exp.Paren):
        inner = inner.this
    return inner if isinstance(inner, exp.Query) else None


def translate_operator(reader: Expressions, node: exp.Expr) -> Typed:
    """The value of an operator's node."""
    kind = type(node)
    if kind in _COMPARISONS:
        return _comparison(reader, node, _COMPARISONS[kind])
    if kind in _ARITHMETIC:
        return _arithmetic(reader, node, *_ARITHMETIC[kind])
    if kind in _OTHER:
        function, sign, result = _OTHER[kind]
        values = reader.several([node.this, node.expression])
        return reader.apply(function, values, f"({{0}} {sign} {{1}})", result)
    match node:
        case exp.And() | exp.Or() | exp.Not():
            return _logic(reader, node)
        case exp.Is():
            return _is(reader, node)
        case exp.NullSafeNEQ():
            same = _comparison(reader, node, "nulleq")
            return Typed(call("not", same.expr), "boolean", nullable=False)
        case exp.In():
            return _in(reader, node)
        case exp.Between():
            return _between(reader, node)
        case exp.Like() | exp.ILike() | exp.Escape():
            return _like(reader, node)
        case exp.Neg():
            return reader.negate(node)
        case exp.BitwiseNot():
            return reader.apply("bitwise_not", [reader.translate(node.this)], "(~ {0})", "")
        case exp.Bracket():
            return reader.bracket(node)
        case _:
            return _own_syntax(reader, node)


def _comparison(reader: Expressions, node: exp.Expr, function: str) -> Typed:
    values = reader.several([node.this, node.expression])
    check_comparison(reader.notes, node, values)
    template = call(function, *(value.expr for value in values)).template
    return reader.apply(function, values, template, "boolean")


def _arithmetic(reader: Expressions, node: exp.Expr, function: str, sign: str) -> Typed:
    values = reader.several([node.this, node.expression])
    check_arithmetic(reader.notes, node, values)
    return reader.apply(function, values, f"({{0}} {sign} {{1}})", _arithmetic_type(function, *values))


def _arithmetic_type(function: str, left: Typed, right: Typed) -> str:
    if function == "int_div":
        return "bigint" if family(left.type) == family(right.type) == "number" else ""
    if "interval" in (left.type, right.type) or {left.type, right.type} <= {"timestamp", "date"}:
        return _time_type(function, left.type, right.type)
    if family(left.type) == "date" and family(right.type) == "number" and function in ("add", "sub"):
        return "date"
    left_type, right_type = left.type, right.type
    if left_type.startswith("decimal") and decimal(right_type):
        right_type = of_literal(right.expr, right_type)
    elif right_type.startswith("decimal") and decimal(left_type):
        left_type = of_literal(left.expr, left_type)
    return arithmetic(function, left_type, right_type)


def _time_type(function: str, left: str, right: str) -> str:
    """Times and intervals: the distance of two times is an interval, a time and an interval give a time."""
    kinds = {family(left), family(right)}
    if kinds == {"interval"} or kinds == {"interval", "number"}:
        return "interval"
    if kinds <= {"timestamp", "date"}:
        return "interval" if function == "sub" else ""
    return "timestamp" if kinds == {"timestamp", "interval"} else ""


def _logic(reader: Expressions, node: exp.Expr) -> Typed:
    operands = [node.this] if isinstance(node, exp.Not) else [node.this, node.expression]
    values = reader.several(operands)
    function = "and" if isinstance(node, exp.And) else "or" if isinstance(node, exp.Or) else "not"
    for operand, value in zip(operands, values, strict=True):
        check_boolean(reader.notes, operand, value, function.upper())
    return reader.apply(
        function, values, call(function, *(value.expr for value in values)).template, "boolean"
    )


def _is(reader: Expressions, node: exp.Expr) -> Typed:
    """x IS NULL, x IS TRUE, x IS FALSE."""
    value = reader.translate(node.this)
    if isinstance(node.expression, exp.Null):
        return Typed(call("is_null", value.expr), "boolean", nullable=False)
    wanted = reader.translate(node.expression)
    sign = wanted.expr.sql if isinstance(wanted.expr, Literal) else "{1}"
    return Typed(Call("is", (value.expr, wanted.expr), f"({{0}} IS {sign})"), "boolean", nullable=False)


def _in(reader: Expressions, node: exp.Expr) -> Typed:
    values = reader.several([node.this, *node.expressions])
    check_comparison(reader.notes, node, values)
    slots = ", ".join(f"{{{index}}}" for index in range(1, len(values)))
    return reader.apply("in", values, f"({{0}} IN ({slots}))", "boolean")


def _between(reader: Expressions, node: exp.Expr) -> Typed:
    if node.args.get("symmetric"):
        hint = "write BETWEEN least(a, b) AND greatest(a, b)"
        reader.notes.fail("HW113", node, "Spark has no BETWEEN SYMMETRIC", hint=hint)
    values = reader.several([node.this, node.args["low"], node.args["high"]])
    check_comparison(reader.notes, node, values)
    return reader.apply("between", values, "({0} BETWEEN {1} AND {2})", "boolean")


def _like(reader: Expressions, node: exp.Expr) -> Typed:
    escape = ""
    if isinstance(node, exp.Escape):
        escape = escaped(f" ESCAPE {text(node.expression)}")
        node = node.this
    function, word = ("ilike", "ILIKE") if isinstance(node, exp.ILike) else ("like", "LIKE")
    if isinstance(node.expression, exp.Any | exp.All):
        value = _like_any(reader, node, word, escape)
    else:
        values = reader.several([node.this, node.expression])
        if escape:
            function = f"{function}_escape"
        value = reader.apply(function, values, f"({{0}} {word} {{1}}{escape})", "boolean")
    return Typed(call("not", value.expr), "boolean") if node.args.get("negate") else value


def _like_any(reader: Expressions, node: exp.Expr, word: str, escape: str) -> Typed:
    patterns = node.expression.this
    listed = patterns.expressions if isinstance(patterns, exp.Tuple) else [patterns.unnest()]
    values = reader.several([node.this, *listed])
    quantifier = "ANY" if isinstance(node.expression, exp.Any) else "ALL"
    slots = ", ".join(f"{{{index}}}" for index in range(1, len(values)))
    function = f"{word}_{quantifier}".lower()
    return reader.apply(function, values, f"({{0}} {word} {quantifier} ({slots}){escape})", "boolean")


def _own_syntax(reader: Expressions, node: exp.Expr) -> Typed:
    """EXTRACT(year FROM x), TRIM(BOTH 'a' FROM x), x COLLATE c, (a, b), X'1F': operands become slots."""
    if isinstance(node, exp.Order):
        around = node.parent.name if node.parent is not None else ""
        reader.notes.fail("HW320", node, f"Spark has no ORDER BY inside {around}")
    if not isinstance(node, _OWN):
        reader.notes.fail(
            "HW113", node, f"Spark has no such expression ({node.key})",
            hint="write it with functions and operators of Spark",
        )  # fmt: skip
    if isinstance(node, exp.Extract):
        check_part(reader.notes, node, node.this.name)
    skeleton = node.copy()
    values: list[Typed] = []
    for key, operand in list(node.args.items()):
        copies = skeleton.args[key]
        for part, copied in zip(_listed(operand), _listed(copies), strict=True):
            if isinstance(part, exp.Expr) and not isinstance(part, exp.Var | exp.DataType | exp.Identifier):
                copied.replace(exp.column(f"__slot_{len(values)}__"))
                values.append(reader.translate(part))
    template = escaped(text(skeleton))
    for index in range(len(values)):
        template = template.replace(f"__slot_{index}__", f"{{{index}}}")
    function, kind = _own_name(node)
    return reader.apply(function, values, template, kind)


_OWN = (
    exp.Extract, exp.Trim, exp.Substring, exp.StrPosition, exp.Overlay, exp.Collate, exp.Tuple,
    exp.RawString, exp.HexString,
)  # fmt: skip
_PARTS = {"year", "month", "day", "quarter", "hour", "minute"}


def _own_name(node: exp.Expr) -> tuple[str, str]:
    """EXTRACT(year FROM x) is year(x); the others keep sqlglot's name."""
    if isinstance(node, exp.Extract):
        part = node.this.name.lower()
        return (part, "int") if part in _PARTS else (f"extract_{part}", "")
    return node.key, _OWN_TYPES.get(type(node), "")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


_OWN_TYPES: dict[type[exp.Expr], str] = {
    exp.Trim: "string", exp.Substring: "string", exp.StrPosition: "int", exp.Overlay: "string",
}  # fmt: skip


def cast_to(value: Typed, kind: str) -> Typed:
    """CAST(value AS kind), unless the value has that type already."""
    if value.type == kind:
        return value
    return Typed(Call("cast", (value.expr,), f"CAST({{0}} AS {kind.upper()})"), kind, value.nullable)
