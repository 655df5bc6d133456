"""Expressions as SQL for people: operators with no more parentheses than they need.

What Spark runs is written by `tree.spark_sql`, from the templates alone; this is what `check` shows: indexes,
views and rewritten queries, with names as users wrote them.
"""

from __future__ import annotations

from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Opaque,
    Parameter,
    Subquery,
    slots,
)

__all__ = ["AND_RANK", "sql_of"]

# How tightly an operator binds: an operand that binds less tightly needs parentheses.
_RANK = {"or": 1, "and": 2, "not": 3, "eq": 4, "neq": 4, "lt": 4, "lte": 4, "gt": 4, "gte": 4, "nulleq": 4,
         "like": 4, "in": 4, "is_null": 4, "not_null": 4, "add": 5, "sub": 5, "concat": 5, "mul": 6, "div": 6,
         "mod": 6, "neg": 7}  # fmt: skip
_OPERATORS = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "nulleq": "<=>",
              "and": "AND", "or": "OR", "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%",
              "concat": "||", "like": "LIKE"}  # fmt: skip
_FORMS = {"is_null": "{0} IS NULL", "not_null": "{0} IS NOT NULL", "not": "NOT ({0})", "neg": "-{0}"}

AND_RANK = _RANK["and"]


def sql_of(expr: Expr, rank: int = 0) -> str:
    """The expression as SQL, in parentheses if it binds less tightly than `rank`."""
    match expr:
        case Column(name, ""):
            return _name(name)
        case Column(name, alias):
            return f"{_name(alias)}.{_name(name)}"
        case Literal(_, sql):
            return sql
        case Parameter(name):
            return name if name.startswith("?") else f":{name}"
        case Call():
            return _call(expr, rank)
        case Opaque(_, arguments, template):
            return template.format(*map(sql_of, arguments))
        case AggregateCall():
            return _aggregate(expr)
        case Subquery():
            return _subquery(expr)


def _name(name: str) -> str:
    return name if name.replace("_", "a").isalnum() and not name[0].isdigit() else f"`{name}`"


def _call(expr: Call, rank: int) -> str:
    form = _form(expr)
    if form is None:
        return _function(expr)
    own = _RANK[expr.function]
    inner = 0 if expr.function == "not" else own  # NOT (...) has its parentheses already
    operands = [sql_of(operand, inner + (place > 0)) for place, operand in enumerate(expr.arguments)]
    text = form.format(*operands)
    return f"({text})" if own < rank else text


def _function(expr: Call) -> str:
    """A function by its name in capitals, or by its own template where it has a syntax of its own."""
    places = f"({slots(len(expr.arguments))})"
    plain = expr.template == expr.function + places
    template = expr.function.upper() + places if plain else expr.template
    return template.format(*map(sql_of, expr.arguments))


def _form(expr: Call) -> str | None:
    """How an operator is written over its operands; None for what is written as a function."""
    count = len(expr.arguments)
    if expr.function in _OPERATORS and count == 2:
        return f"{{0}} {_OPERATORS[expr.function]} {{1}}"
    if expr.function == "like" and count == 3:
        return "{0} LIKE {1} ESCAPE {2}"
    if expr.function == "in":
        return f"{{0}} IN ({slots(count - 1, first=1)})"
    return _FORMS.get(expr.function)


def _aggregate(expr: AggregateCall) -> str:
    arguments = ", ".join(map(sql_of, expr.arguments))
    if expr.function == "count" and not expr.arguments and not expr.distinct:
        arguments = "*"
    where = "" if expr.where is None else f" FILTER (WHERE {sql_of(expr.where)})"
    return f"{expr.function.upper()}({'DISTINCT ' if expr.distinct else ''}{arguments}){where}"


def _subquery(expr: Subquery) -> str:
    inner = f"({expr.query.sql})"
    if expr.kind == "in" and expr.operand is not None:
        return f"{sql_of(expr.operand, _RANK['in'])} IN {inner}"
    return f"EXISTS {inner}" if expr.kind == "exists" else inner
