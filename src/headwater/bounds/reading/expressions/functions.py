"""What a function's value depends on: its arguments, the moment or the session, or nothing that can be known.

    IMMUTABLE    the same arguments, the same value: may stand in an index or a view
    MOMENT       one value for the whole statement (now(), current_user): a parameter that nobody passes
    VOLATILE     another value for every row and call (rand(), uuid(), clock_timestamp())
    UNKNOWN      not on any list, so no bound may rest on it: the query is not analysed

The first list is a whitelist.  A function that is missing there costs an answer; one that stands there
wrongly would make a proof false.
"""

from __future__ import annotations

from enum import Enum

from sqlglot import exp

from headwater.algebra.expressions.tree import Parameter
from headwater.sql.translate.scalars.repeatability import MOMENT as NOT_REPEATABLE
from headwater.sql.translate.scalars.spark_functions import SCALARS, WINDOW_FUNCTIONS

__all__ = ["Stability", "function_name", "moment_of", "stability_of"]


class Stability(Enum):
    IMMUTABLE = "immutable"
    MOMENT = "moment"
    VOLATILE = "volatile"
    UNKNOWN = "unknown"


_FROM_OTHER_DATABASES = frozenset({
    "adddate", "addtime", "array_length", "array_lower", "array_to_string", "array_upper", "bin",
    "bin_to_uuid", "bit_xor", "cardinality", "char_length", "contains_token", "convert_tz", "crc32",
    "date", "date_format", "datetime", "digest", "div", "earth_distance", "elt", "epoch", "field",
    "find_in_set", "format", "from_base64", "from_days", "hashtext", "hashtextextended", "host", "iif",
    "inet_aton", "inet_ntoa", "instr", "isnull", "json_array_length", "json_build_array",
    "json_build_object", "json_contains", "json_extract", "json_extract_path", "json_extract_path_text",
    "json_length", "json_object", "json_unquote", "json_valid", "json_value", "jsonb_array_length",
    "jsonb_build_array", "jsonb_build_object", "jsonb_extract_path", "jsonb_extract_path_text",
    "jsonb_path_exists", "jsonb_path_query_first", "jsonb_typeof", "julianday", "length", "ll_to_earth",
    "locate", "makedate", "maketime", "num_nonnulls", "num_nulls", "oct", "ord", "period_add",
    "period_diff", "phraseto_tsquery", "plainto_tsquery", "position", "printf", "quote_literal",
    "regexp_instr", "regexp_like", "regexp_replace", "regexp_substr", "row_to_json", "sec_to_time",
    "setweight", "sha256", "similarity", "split_part", "st_contains", "st_distance", "st_dwithin",
    "st_intersects", "st_makepoint", "st_setsrid", "st_within", "st_x", "st_y", "starts_with",
    "str_to_date", "strcmp", "strftime", "strict_word_similarity", "string_to_array", "strpos",
    "strptime", "subdate", "substring_index", "subtime", "time", "time_to_sec", "timediff", "to_base64",
    "to_days", "to_json", "to_jsonb", "to_seconds", "to_tsquery", "to_tsvector", "token", "tokens",
    "truncate", "ts_rank", "ts_rank_cd", "unaccent", "unixepoch", "uuid_to_bin",
    "websearch_to_tsquery", "weekday", "word_similarity", "yearweek",
})  # fmt: skip
_WRITTEN_WITH_OPERATORS = (
    exp.And, exp.Or, exp.Xor, exp.Not, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.Convert, exp.Collate,
    exp.Array, exp.Struct, exp.Map, exp.Coalesce, exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract,
    exp.JSONBExtractScalar, exp.JSONBContains, exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys,
    exp.JSONBContainsAllTopKeys, exp.JSONExists, exp.JSONArrayContains, exp.JSONArray, exp.JSONObject,
    exp.JSONKeys, exp.JSONType, exp.JSONFormat, exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps,
    exp.ArrayConcat, exp.ArraySlice, exp.ArrayAny, exp.ArrayAll, exp.RegexpILike, exp.MatchAgainst,
    exp.StrPosition, exp.StrToDate, exp.StrToTime, exp.StrToUnix, exp.TimeToStr, exp.TimeToUnix, exp.TimeAdd,
    exp.TimeSub, exp.TimestampAdd, exp.TimestampSub, exp.TimestampTrunc, exp.Datetime, exp.DatetimeAdd,
    exp.DatetimeSub, exp.DatetimeDiff, exp.DatetimeTrunc, exp.DateBin, exp.DateFromParts, exp.TimeFromParts,
    exp.TimestampFromParts, exp.ParseTime, exp.ParseDatetime, exp.TsOrDsAdd, exp.TsOrDsDiff, exp.TsOrDsToDate,
    exp.TsOrDsToDateStr, exp.TsOrDsToDatetime, exp.TsOrDsToTime, exp.TsOrDsToTimestamp, exp.TsOrDiToDi,
    exp.UnixToStr, exp.UnixToTime, exp.UnixToTimeStr, exp.Week, exp.Unicode, exp.ToBase64, exp.FromBase64,
    exp.Pad, exp.NumberToStr, exp.Format, exp.StringToArray, exp.StDistance, exp.StPoint, exp.CosineDistance,
    exp.EuclideanDistance, exp.DotProduct, exp.SafeDivide, exp.ToDays, exp.ByteLength, exp.IsInf, exp.Stuff,
    exp.BitwiseCount, exp.DayOfWeekIso, exp.TimeStrToDate, exp.TimeStrToTime, exp.DateStrToDate,
)  # fmt: skip
_IMMUTABLE = (SCALARS - {*NOT_REPEATABLE, "aes_encrypt"}) | _FROM_OTHER_DATABASES  # it draws a random vector

_DATES = frozenset({"current_date", "curdate", "utc_date"})
_TIMES = frozenset({"current_timestamp", "now", "transaction_timestamp"})
_OTHER_MOMENTS = frozenset({
    "connection_id", "current_catalog", "current_database", "current_datetime", "current_role",
    "current_schema", "current_setting", "current_time", "current_timestamp_ltz", "current_timezone",
    "current_user", "curtime", "database", "getdate", "getutcdate", "localtime", "localtimestamp",
    "pg_backend_pid", "schema", "session_user", "statement_timestamp", "sysdatetime", "systimestamp",
    "user", "utc_time", "utc_timestamp", "version",
})  # fmt: skip
_VOLATILE = frozenset({
    "benchmark", "clock_timestamp", "currval", "found_rows", "gen_random_bytes", "gen_random_uuid",
    "generate_uuid", "get_lock", "last_insert_id", "lastval", "monotonically_increasing_id", "newid",
    "next_value_for", "nextval", "normal", "pg_sleep", "rand", "randn", "random", "random_bytes",
    "randomblob", "randstr", "row_count", "seq1", "seq2", "seq4", "seq8", "setseed", "setval",
    "shuffle", "sleep", "spark_partition_id", "sysdate", "timeofday", "txid_current", "uniform", "uuid",
    "uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v4", "uuid_short", "uuid_string", "uuidv4",
    "uuidv7", "zipf",
})  # fmt: skip
_OWN_SCHEMAS = frozenset({"pg_catalog", "sys", "system", "builtin"})  # functions of the database itself
_MOMENT_WORDS = frozenset({"now", "today", "tomorrow", "yesterday"})  # as in date('now'), 'today'::date


def function_name(node: exp.Func) -> str:
    """The function's name in small letters, as it is written or as sqlglot calls it."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_names()[0].lower()


def stability_of(node: exp.Expr) -> Stability:
    """What the value of one node depends on beside its parts; syntax that is no function is immutable."""
    if isinstance(node, exp.Literal):
        moment = node.is_string and str(node.this).lower() in _MOMENT_WORDS
        return Stability.MOMENT if moment else Stability.IMMUTABLE
    if isinstance(node, exp.PropertyEQ):  # @n := @n + 1
        return Stability.VOLATILE
    if not isinstance(node, exp.Func) or isinstance(node, _WRITTEN_WITH_OPERATORS):
        return Stability.IMMUTABLE
    if isinstance(node.parent, exp.Dot) and node.parent.this.name.lower() not in _OWN_SCHEMAS:
        return Stability.UNKNOWN  # a function of the user's, whatever it is called
    names = {function_name(node)}
    if not isinstance(node, exp.Anonymous):
        names |= {name.lower() for name in node.sql_names()}
    if names & _VOLATILE:
        return Stability.VOLATILE
    if names & (_TIMES | _DATES | _OTHER_MOMENTS) or _is_time_without_argument(node, names):
        return Stability.MOMENT
    if names & _IMMUTABLE or _is_over_a_window(node, names):
        return Stability.IMMUTABLE
    return Stability.UNKNOWN


def _is_time_without_argument(node: exp.Func, names: set[str]) -> bool:
    bare = not list(node.iter_expressions())
    return bare and bool(
        names & {"unix_timestamp", "unixepoch", "to_unix_timestamp", "datetime", "date", "time"}
    )


def _is_over_a_window(node: exp.Func, names: set[str]) -> bool:
    over = isinstance(node.parent, exp.Window | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup)
    return over and (isinstance(node, exp.AggFunc) or bool(names & WINDOW_FUNCTIONS))


def moment_of(node: exp.Expr) -> Parameter:
    """The parameter that stands for a value of the moment: the same for the same function only."""
    if isinstance(node, exp.Literal):
        return Parameter(f"$now_{str(node.this).lower()}")
    assert isinstance(node, exp.Func)
    name = function_name(node)
    if name in _TIMES:
        return Parameter("$now")
    if name in _DATES - {"utc_date"}:
        return Parameter("$today")
    arguments = "_".join(part.sql() for part in node.iter_expressions())
    session = name.startswith(("current_user", "session", "user", "current_role", "current_s", "current_d",
                               "current_c", "database", "schema", "connection", "version"))  # fmt: skip
    return Parameter(f"${name}{arguments}" if session else f"$now_{name}{arguments}")
