"""Which functions a view cannot use, and why: their value is not a function of the sources.

A view at a time must equal its SQL over the sources as of that time, whenever and however that is computed.
So a function whose value depends on the machine, or the order in which Spark processes rows is
refused.  Floating sums also depend on the order, in their last digits; they are allowed, and compared with
that in mind.
"""

from __future__ import annotations

__all__ = ["MOMENT", "ORDERED", "ORDER_BLIND"]

_MOMENT = "its value differs each time it is computed"
_RANDOM = "it is random"
_PHYSICAL = "it depends on how Spark lays out the data"
_SESSION = "it depends on who runs it"

# Scalar functions that are not repeatable, and why.
MOMENT: dict[str, str] = {
    **dict.fromkeys(("current_time", "localtime"), _MOMENT),
    **dict.fromkeys(("rand", "randn", "random", "uniform", "randstr", "uuid", "shuffle"), _RANDOM),
    **dict.fromkeys(
        (
            "monotonically_increasing_id", "spark_partition_id", "input_file_name", "input_file_block_start",
            "input_file_block_length",
        ),
        _PHYSICAL,
    ),
    **dict.fromkeys(
        (
            "current_user", "session_user", "user", "current_catalog", "current_database", "current_schema",
            "current_path", "current_timezone", "version",
        ),
        _SESSION,
    ),
    "aes_encrypt": "it begins with random bytes",
    **dict.fromkeys(("java_method", "reflect", "try_reflect"), "Headwater cannot know what it does"),
}  # fmt: skip

_LIST = "its elements come in the order in which Spark processes the rows"
_FIRST = "which row comes first depends on how Spark processes the rows"
_TIES = "among rows with the same extreme value it takes any of them"
_SKETCH = "its estimate depends on the order in which Spark processes the rows"

# Aggregates whose value depends on the order of rows: why, and what to write instead.
ORDERED: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("first", "first_value", "last", "last_value"), (_FIRST, "use min, max, or max(struct(at, x)).x")
    ),
    "any_value": (_FIRST, "use min or max"),
    **dict.fromkeys(
        ("collect_list", "array_agg", "collect_set", "collect_union"),
        (_LIST, "write sort_array(...) around it"),
    ),
    **dict.fromkeys(("listagg", "string_agg"), (_LIST, "add WITHIN GROUP (ORDER BY ...)")),
    "max_by": (_TIES, "write max(struct(y, x)).x for max_by(x, y)"),
    "min_by": (_TIES, "write min(struct(y, x)).x for min_by(x, y)"),
    "mode": ("among values that occur equally often it takes any of them", "write mode(x, true)"),
    **dict.fromkeys(("percentile_approx", "approx_percentile"), (_SKETCH, "use percentile, which is exact")),
    **dict.fromkeys(
        (
            "approx_top_k", "approx_top_k_accumulate", "approx_top_k_combine", "histogram_numeric",
            "kll_sketch_agg_bigint", "kll_sketch_agg_double", "kll_sketch_agg_float", "kll_merge_agg_bigint",
            "kll_merge_agg_double", "kll_merge_agg_float",
        ),
        (_SKETCH, "aggregate exactly"),
    ),
}  # fmt: skip

# Around a collected array, these make its order irrelevant.
ORDER_BLIND = frozenset(
    {"sort_array", "array_sort", "size", "array_size", "cardinality", "array_max", "array_min"}
)
