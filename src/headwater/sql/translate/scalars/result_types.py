"""The type that a function gives, and whether it can give NULL, as far as Headwater knows Spark's rules."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.algebra.expressions.tree import Literal
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import common_of, decimal, element, family, schema_type

__all__ = ["never_null", "result_type"]

_RESULTS: dict[str, str] = {}
for _type, _names in {
    "string": """upper lower ucase lcase trim ltrim rtrim btrim lpad rpad replace translate regexp_replace
        regexp_extract concat_ws initcap repeat split_part substring_index format_string printf format_number
        date_format from_unixtime to_json md5 sha sha1 sha2 base64 hex get_json_object soundex space chr char
        dayname monthname to_char to_varchar typeof url_encode url_decode parse_url string left right substr
        substring overlay elt mask array_join bin conv""",
    "int": """length char_length character_length len octet_length bit_length ascii instr locate position year
        month day dayofmonth dayofweek dayofyear weekday weekofyear quarter hour minute levenshtein size
        cardinality array_size find_in_set json_array_length hash int bit_count regexp_count""",
    "bigint": """unix_timestamp to_unix_timestamp unix_seconds unix_millis unix_micros xxhash64 crc32
        factorial bigint array_position timestampdiff count count_if regr_count approx_count_distinct""",
    "double": """sqrt exp ln log log10 log2 log1p expm1 pow power sin cos tan cot asin acos atan atan2 sinh
        cosh tanh cbrt degrees radians months_between rint double e pi hypot sign signum stddev_samp
        stddev_pop var_samp var_pop corr covar_samp covar_pop skewness kurtosis""",
    "boolean": """startswith endswith contains isnull isnotnull isnan rlike regexp regexp_like like ilike
        array_contains exists forall luhn_check equal_null boolean bool_and bool_or arrays_overlap
        map_contains_key in between""",
    "date": "to_date date_sub last_day next_day add_months make_date date date_from_unix_date try_to_date",
    "timestamp": """timestamp_seconds timestamp_millis timestamp_micros from_utc_timestamp to_utc_timestamp
        timestamp""",
    "interval": "make_interval make_dt_interval make_ym_interval try_make_interval",
    "float": "float",
    "tinyint": "tinyint",
    "smallint": "smallint",
    "binary": "unhex unbase64 binary",
}.items():
    _RESULTS.update(dict.fromkeys(_names.split(), _type))

_SAME = {"abs", "negative", "positive", "min", "max", "reverse", "array_distinct", "sort_array", "array_sort",
         "slice", "filter", "first", "last", "any_value", "greatest", "least", "coalesce", "nvl", "ifnull",
         "array_union", "array_except", "array_intersect", "array_compact"}  # fmt: skip
_COMMON = {"greatest", "least", "coalesce", "nvl", "ifnull"}
_INTEGERS = {"tinyint", "smallint", "int", "bigint"}


def result_type(name: str, arguments: Sequence[Typed]) -> str:
    """The type that a call gives; "" when not known."""
    types = [argument.type for argument in arguments]
    if name in _COMMON:
        return common_of(types)
    if name in _SAME:
        return types[0] if types else ""
    if name in _RESULTS:
        return _RESULTS[name]
    rule = _RULES.get(name)
    return rule(types, arguments) if rule is not None and types else ""


def _sum(types: Sequence[str], _: Sequence[Typed]) -> str:
    if types[0] in _INTEGERS:
        return "bigint"
    digits = decimal(types[0])
    if digits is not None:
        return f"decimal({min(38, digits[0] + 10)},{digits[1]})"
    return "double" if family(types[0]) == "number" else _of_intervals(types[0])


def _of_intervals(kind: str) -> str:
    """Intervals add up to intervals."""
    return "interval" if family(kind) == "interval" else ""


def _average(types: Sequence[str], _: Sequence[Typed]) -> str:
    digits = decimal(types[0])
    if digits is not None and types[0] not in _INTEGERS:
        return f"decimal({min(38, digits[0] + 4)},{min(38, digits[1] + 4)})"
    return "double" if family(types[0]) == "number" else _of_intervals(types[0])


def _round(types: Sequence[str], arguments: Sequence[Typed]) -> str:
    digits = decimal(types[0])
    if digits is None or types[0] in _INTEGERS:
        return types[0] if family(types[0]) == "number" else ""
    places = arguments[1].expr.value if len(arguments) > 1 and isinstance(arguments[1].expr, Literal) else 0
    if len(arguments) > 1 and not isinstance(arguments[1].expr, Literal):
        return ""
    if not isinstance(places, int) or places < 0:
        return ""
    scale = min(digits[1], places)
    return f"decimal({min(38, digits[0] - digits[1] + 1 + scale)},{scale})"


def _whole(types: Sequence[str], _: Sequence[Typed]) -> str:
    digits = decimal(types[0])
    if len(types) > 1:
        return ""
    if digits is not None and types[0] not in _INTEGERS:
        return f"decimal({min(38, digits[0] - digits[1] + 1)},0)"
    return "bigint" if family(types[0]) == "number" else ""


def _if(types: Sequence[str], _: Sequence[Typed]) -> str:
    return common_of(types[1:])


def _concat(types: Sequence[str], _: Sequence[Typed]) -> str:
    if all(family(kind) in ("string", "number", "date", "timestamp", "boolean") for kind in types):
        return "string"
    return types[0] if len(set(types)) == 1 else ""


def _array(types: Sequence[str], _: Sequence[Typed]) -> str:
    inner = common_of(types)
    return f"array<{inner}>" if inner else ""


def _percentile(types: Sequence[str], _: Sequence[Typed]) -> str:
    """One of the values; of several shares one for each."""
    return f"array<{types[0]}>" if types[0] and types[1:2] and types[1].startswith("array") else types[0]


def _collect(types: Sequence[str], _: Sequence[Typed]) -> str:
    return f"array<{types[0]}>" if types[0] else ""


def _element(types: Sequence[str], _: Sequence[Typed]) -> str:
    return element(types[0])


def _date_add(types: Sequence[str], _: Sequence[Typed]) -> str:
    return "date" if len(types) == 2 else ""


def _datediff(types: Sequence[str], _: Sequence[Typed]) -> str:
    return "int" if len(types) == 2 else ""


def _nullif(types: Sequence[str], _: Sequence[Typed]) -> str:
    return types[0]


def _map(types: Sequence[str], _: Sequence[Typed]) -> str:
    keys, values = common_of(types[::2]), common_of(types[1::2])
    return f"map<{keys},{values}>" if keys and values else ""


def _named_struct(types: Sequence[str], arguments: Sequence[Typed]) -> str:
    names = [
        argument.expr.value if isinstance(argument.expr, Literal) else None for argument in arguments[::2]
    ]
    if len(types) % 2 or not all(types) or not all(isinstance(name, str) for name in names):
        return ""
    return f"struct<{','.join(f'{name}:{kind}' for name, kind in zip(names, types[1::2], strict=True))}>"


def _from_json(_: Sequence[str], arguments: Sequence[Typed]) -> str:
    schema = (
        arguments[1].expr.value if len(arguments) > 1 and isinstance(arguments[1].expr, Literal) else None
    )
    return schema_type(schema) if isinstance(schema, str) else ""


_RULES = {
    "sum": _sum, "try_sum": _sum, "avg": _average, "try_avg": _average, "round": _round, "bround": _round,
    "ceil": _whole, "ceiling": _whole, "floor": _whole, "if": _if, "nvl2": _if, "concat": _concat,
    "array": _array, "collect_list": _collect, "collect_set": _collect, "element_at": _element,
    "get": _element,
    "try_element_at": _element, "date_add": _date_add, "datediff": _datediff, "date_diff": _datediff,
    "nullif": _nullif, "map": _map, "named_struct": _named_struct,
    "from_json": _from_json, "percentile_approx": _percentile, "approx_percentile": _percentile,
    "max_by": _nullif, "min_by": _nullif, "mode": _nullif,
}  # fmt: skip

_NULL_FREE = {
    "upper", "lower", "trim", "ltrim", "rtrim", "length", "abs", "concat", "year", "month", "day", "md5",
    "add", "sub", "mul", "eq", "neq", "lt", "lte", "gt", "gte", "and", "or", "not", "neg",
}  # fmt: skip


def never_null(name: str, arguments: Sequence[Typed]) -> bool:
    """True only when the result is certainly not NULL."""
    if name in ("count", "count_if", "is_null", "nulleq", "isnull", "isnotnull", "hash", "xxhash64"):
        return True
    if name in ("coalesce", "nvl", "ifnull"):
        return any(not argument.nullable for argument in arguments)
    return name in _NULL_FREE and all(not argument.nullable for argument in arguments)
