"""Comparisons with ANY and ALL, which Spark does not have.

    x = ANY (SELECT ...)       x IN (SELECT ...)
    x <> ALL (SELECT ...)      NOT x IN (SELECT ...)
    x > ANY (SELECT v ...)     x > (SELECT min(v) ...)
    x > ALL (SELECT v ...)     there are no rows, or x > (SELECT max(v) ...) and no v is NULL
    x > ANY (array), ALL       exists(array, v -> x > v), forall(array, v -> x > v)
    x > ALL (1, 2)             the same, with array(1, 2)

As a condition only what is true counts.  Elsewhere FALSE and NULL differ, so there it is a CASE that tells
them apart.  `any(flag)` after GROUP BY is an aggregate, as in Spark.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.sql.parsing.forms.template import filled

__all__ = ["quantified"]

_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_WORDS = {"any": False, "some": False, "all": True}
_MAKE_ARRAYS = {"array", "split", "sequence", "collect_list", "collect_set", "map_keys", "map_values"}


def quantified(node: exp.Expr) -> exp.Expr | None:
    """A comparison with ANY or ALL as what Spark has for it; None for everything else."""
    sign = _SIGNS.get(type(node))
    if sign is None:
        return None
    match node.expression:
        case exp.Any() | exp.All() as rows if isinstance(rows.this.unnest(), exp.Query):
            return _with_rows(node, sign, rows.this.unnest(), every=isinstance(rows, exp.All))
        case exp.Anonymous() as call if call.name.lower() in _WORDS and call.expressions:
            return _with_elements(node, sign, call)
        case _:
            return None


def _with_rows(node: exp.Expr, sign: str, query: exp.Expr, every: bool) -> exp.Expr:
    if (sign, every) in (("=", False), ("<>", True)):
        listed = exp.In(this=node.this.copy(), query=exp.Subquery(this=query.copy()))
        return exp.Not(this=listed) if every else listed
    parts = {name: _of_rows(f"(SELECT {value} FROM _rows)", query) for name, value in _FACTS.items()}
    return filled(_text(_COMPARED[sign, every], every, _is_condition(node)), {"_x": node.this, **parts})


_KNOWN = "CASE WHEN count(*) = count(_value) THEN {extreme}(_value) END"  # unless any of them is NULL
_FACTS = {
    "_least": "min(_value)", "_most": "max(_value)", "_rows_there": "count(*)",
    "_least_known": _KNOWN.format(extreme="min"), "_most_known": _KNOWN.format(extreme="max"),
}  # fmt: skip
# With which of the values a comparison decides; True: with ALL.
_COMPARED = {
    **{(sign, sign in (">", ">=")): f"_x {sign} _most{{known}}" for sign in ("<", "<=", ">", ">=")},
    **{(sign, sign in ("<", "<=")): f"_x {sign} _least{{known}}" for sign in ("<", "<=", ">", ">=")},
    ("=", True): "(_x = _least{known} AND _x = _most{known})",
    ("<>", False): "(_x <> _least{known} OR _x <> _most{known})",
}


def _text(compared: str, every: bool, condition: bool) -> str:
    plain, known = compared.format(known=""), compared.format(known="_known")
    if condition:
        return f"(_rows_there = 0 OR {known})" if every else f"({plain})"
    none, decided = ("TRUE", f"NOT ({plain}) THEN FALSE") if every else ("FALSE", f"{plain} THEN TRUE")
    return f"CASE WHEN _rows_there = 0 THEN {none} WHEN {decided} ELSE {known} END"


def _of_rows(text: str, query: exp.Expr) -> exp.Expr:
    """A scalar subquery over the rows of another, whose column is called _value."""
    whole = filled(text, {})
    names = exp.TableAlias(this=exp.to_identifier("_compared"), columns=[exp.to_identifier("_value")])
    for table in list(whole.find_all(exp.Table)):
        table.replace(exp.Subquery(this=query.copy(), alias=names))
    return whole


def _is_condition(node: exp.Expr) -> bool:
    """Does only its truth count: in WHERE, HAVING or ON, below AND and OR alone?"""
    while isinstance(node.parent, exp.And | exp.Or | exp.Paren):
        node = node.parent
    return isinstance(node.parent, exp.Where | exp.Having | exp.Qualify) or (
        isinstance(node.parent, exp.Join) and node.arg_key == "on"
    )


def _with_elements(node: exp.Expr, sign: str, call: exp.Anonymous) -> exp.Expr | None:
    every = _WORDS[call.name.lower()]
    elements = call.expressions[0]
    if len(call.expressions) > 1 or (isinstance(elements, exp.Literal) and not elements.is_string):
        elements = exp.Anonymous(this="array", expressions=[part.copy() for part in call.expressions])
    if isinstance(elements, exp.Literal):  # '{1,2}' is an array to PostgreSQL alone
        return None
    if not every and not _is_array(elements) and node.find_ancestor(exp.Where, exp.Join) is None:
        return None
    function = "forall" if every else "exists"
    return filled(f"{function}(_elements, _v -> _x {sign} _v)", {"_elements": elements, "_x": node.this})


def _is_array(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in _MAKE_ARRAYS
