"""Which expressions can fail for some row: those that Spark's ANSI mode answers with an error, not with NULL.

    100 / v, v % w                  a divisor of zero
    a + b, a * b, -a, abs(a)        overflow
    CAST(text AS INT)               a text that is no number; and every implicit cast: text_column = 5
    items[3], element_at(m, k)      an index beyond the end
    any function not listed here    unknown, so it can

Cannot fail: columns, constants, comparisons of like with like, boolean logic, functions of texts, what is
called try_..., and a division by a constant that is not zero.

Only a false "cannot" would be wrong: then a stage that several views share could fail for the sake of one of
them (planning/relations/sharings.py).  A false "can" costs some sharing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal

from headwater.algebra.expressions.functions import plain
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal
from headwater.algebra.expressions.types import decimal_of

__all__ = ["can_fail", "type_of"]

Types = Mapping[str, str]  # of columns, as far as they are known

_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_WIDTHS = {
    "tinyint": 3,
    "byte": 3,
    "smallint": 5,
    "short": 5,
    "int": 10,
    "integer": 10,
    "bigint": 20,
    "long": 20,
}
_FLOATS = {"float", "double", "real"}
_TIMES = {"date", "timestamp", "timestamp_ntz", "timestamp_ltz"}

# Never fail, whatever their arguments are, if these do not.
_SAFE = {
    "and", "or", "not", "isnull", "notnull", "isnotnull", "isnan", "paren", "struct", "namedstruct", "field",
    "is", "typeof", "hash", "xxhash64", "trycast", "trydivide", "tryadd", "trysubtract", "trymultiply",
    "trymod", "tryelementat", "trytonumber", "trytotimestamp", "trytodate", "tryparsejson", "tryparseurl",
    "get", "now", "currentdate", "localtimestamp",
}  # fmt: skip
# Compare their arguments: they fail only where Spark casts a text to compare it with something else.
_COMPARING = {
    "eq", "neq", "lt", "lte", "gt", "gte", "nulleq", "nullsafeeq", "equalnull", "in", "between", "nullif",
    "greatest", "least", "coalesce", "ifnull", "nvl",
}  # fmt: skip
# Take texts; anything can be cast to a text.  The numbers among their arguments must be numbers.
_OF_TEXTS = {
    "upper", "lower", "ucase", "lcase", "trim", "ltrim", "rtrim", "btrim", "length", "charlength",
    "characterlength", "reverse", "initcap", "concat", "concatws", "dpipe", "safedpipe", "safeconcat",
    "startswith", "endswith", "contains", "like", "ilike", "replace", "translate", "substring", "substr",
    "left", "right", "md5", "sha1", "sha2", "ascii", "instr", "locate", "position",
}  # fmt: skip
# Parts of a date or a timestamp; a text would be cast first.
_OF_TIMES = {
    "year", "month", "day", "dayofmonth", "dayofweek", "dayofyear", "weekday", "weekofyear", "quarter",
    "hour", "minute", "second", "datetrunc", "timestamptrunc", "trunc", "todate", "date", "lastday",
    "datediff", "dateformat", "fragment",
}  # fmt: skip


def can_fail(expr: Expr, types: Types | None = None) -> bool:
    """Whether there may be a row for which Spark raises an error instead of giving a value."""
    known = types or {}
    match expr:
        case Column() | Literal():
            return False
        case Call(_, arguments):
            return any(can_fail(argument, known) for argument in arguments) or _fails(expr, known)
        case _:
            return True


def _fails(call: Call, types: Types) -> bool:
    """Whether the call itself can fail, its arguments aside."""
    function = plain(call.function)
    if function in _SAFE:
        return False
    rule = _RULES.get(function)
    return True if rule is None else rule(call, types)


def _mixes_kinds(call: Call, types: Types) -> bool:
    """Constants of text are cast once, in the same way for all rows; NULL is of any kind."""
    kinds = {
        _kind(type_of(argument, types))
        for argument in call.arguments
        if not (isinstance(argument, Literal) and (argument.value is None or isinstance(argument.value, str)))
    }
    return "" in kinds or len(kinds) > 1


def _mixes_branches(call: Call, types: Types) -> bool:
    """CASE WHEN a THEN x WHEN b THEN y ELSE z END: its results are cast to one type if theirs differ."""
    if not call.template.startswith("CASE WHEN"):
        return True
    pairs, last = divmod(len(call.arguments), 2)
    results = (*call.arguments[1 : 2 * pairs : 2], *(call.arguments[-1:] if last else ()))
    return len(results) > 1 and _mixes_kinds(Call("case", results, ""), types)


def _divides_by_zero(call: Call, _: Types) -> bool:
    """A constant divisor is safe; -1 is not, because the least integer has no negative."""
    divisor = call.arguments[-1]
    return not (
        isinstance(divisor, Literal)
        and isinstance(divisor.value, int | float | Decimal)
        and divisor.value not in (0, -1)
    )


def _overflows(call: Call, types: Types) -> bool:
    """Floats become infinite; a timestamp has room for any interval that can be written."""
    if _moved(call) and type_of(call.arguments[0], types) in _TIMES - {"date"}:
        return False
    return not all(type_of(argument, types) in _FLOATS for argument in call.arguments)


def _moved(call: Call) -> bool:
    """x + INTERVAL '10' MINUTE, or minus."""
    return (
        call.function in ("add", "sub")
        and isinstance(call.arguments[1], Literal)
        and isinstance(call.arguments[1].value, timedelta)
    )


def _wants_times(call: Call, types: Types) -> bool:
    return not all(
        isinstance(argument, Literal) or type_of(argument, types) in _TIMES for argument in call.arguments
    )


def _wants_texts(call: Call, types: Types) -> bool:
    """The first argument is a text; others are texts or constants."""
    return not all(
        isinstance(argument, Literal) or type_of(argument, types) == "string"
        for argument in call.arguments[1:]
    )


def _narrows(call: Call, types: Types) -> bool:
    """A cast fails unless every value of the one type is a value of the other."""
    source, target = type_of(call.arguments[0], types), _cast_type(call)
    if target in ("string", "text") or source == target != "":
        return False
    if source in _WIDTHS and target in _WIDTHS:
        return _WIDTHS[source] > _WIDTHS[target]
    if target == "double" and (source in _WIDTHS or source in _FLOATS or decimal_of(source)):
        return False
    decimal = decimal_of(target)
    if decimal is not None:
        digits = decimal[0] - decimal[1]
        held = decimal_of(source) or ((_WIDTHS[source], 0) if source in _WIDTHS else None)
        return held is None or held[0] - held[1] > digits or held[1] > decimal[1]
    return not (source in _TIMES and target in _TIMES)


_RULES: dict[str, Callable[[Call, Types], bool]] = {
    **dict.fromkeys(_COMPARING, _mixes_kinds),
    **dict.fromkeys(("div", "mod", "intdiv", "pmod"), _divides_by_zero),
    **dict.fromkeys(("add", "sub", "mul", "neg", "negative", "abs", "round", "sqrt", "exp"), _overflows),
    **dict.fromkeys(_OF_TEXTS, _wants_texts),
    **dict.fromkeys(_OF_TIMES, _wants_times),
    "cast": _narrows,
    "case": _mixes_branches,
}


def type_of(expr: Expr, types: Types) -> str:
    """The Spark type of a column, a constant or a cast; empty where it is not known."""
    match expr:
        case Column(name):
            return types.get(name, "").lower()
        case Literal(value):
            return _literal_type(value)
        case Call("cast"):
            return _cast_type(expr)
        case Call("now"):
            return "timestamp"
        case Call("current_date"):
            return "date"
        case Call("localtimestamp"):
            return "timestamp_ntz"
        case Call(_, (moment, *_)) if _moved(expr) and type_of(moment, types) in _TIMES - {"date"}:
            return type_of(moment, types)
        case Call(function, (argument, *_)) if plain(function) in ("paren", "coalesce", "fragment"):
            return type_of(argument, types)
        case Call(function) if plain(function) in _OF_TEXTS - {
            "length",
            "instr",
            "locate",
            "position",
            "ascii",
        }:
            return "string"
        case _:
            return ""


def _literal_type(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "int" if -(2**31) <= value < 2**31 else "bigint"
        case float():
            return "double"
        case Decimal():
            return "decimal(38,18)"
        case str():
            return "string"
        case datetime():
            return "timestamp"
        case date():
            return "date"
        case _:
            return ""


def _cast_type(call: Call) -> str:
    return call.template.rsplit(" AS ", 1)[-1].strip()[:-1].lower()


def _kind(spark_type: str) -> str:
    """Types that are compared without a cast that could fail."""
    if spark_type in _WIDTHS or spark_type in _FLOATS or decimal_of(spark_type) is not None:
        return "number"
    return "time" if spark_type in _TIMES else spark_type
