"""Functions of other systems that people write out of habit, and what Spark has for them.

The nearest name would mislead: `map_agg` is near to `bitmap_or_agg`, and means something else.
"""

from __future__ import annotations

__all__ = ["NO_FUNCTIONS_OF_ONES_OWN", "instead"]

NO_FUNCTIONS_OF_ONES_OWN = "functions are Spark's own: write its expression into the view"

_INSTEAD: dict[str, str] = {}
for _names, _spark in {
    "arg_max argmax": "max_by(x, at)",
    "arg_min argmin": "min_by(x, at)",
    "array_length": "size(x)",
    "array_slice": "slice(x, start, length)",
    "array_to_string": "array_join(x, ',')",
    "charindex": "locate('a', x)",
    "countif": "count_if(condition)",
    "clock_timestamp getdate sysdate systimestamp": "now()",
    "date_bin time_slice tumble_start": "window(at, '5 minutes').start",
    "datetrunc timestamp_trunc": "date_trunc('day', at)",
    "format_timestamp strftime": "date_format(at, 'yyyy-MM')",
    "from_unix_timestamp": "timestamp_seconds(x)",
    "generate_series": "explode(sequence(1, 3))",
    "group_concat": "string_agg(x, ',')",
    "hop": "GROUP BY window(at, '10 minutes', '5 minutes')",
    "hop_start": "window(at, '10 minutes', '5 minutes').start",
    "iff iif": "if(condition, x, y)",
    "json_extract json_extract_path_text json_extract_scalar json_value jsonb_extract_path_text": (
        "get_json_object(x, '$.a')"
    ),
    "json_agg jsonb_agg": "to_json(collect_list(x))",
    "json_build_object json_object jsonb_build_object": "to_json(named_struct('a', x))",
    "list": "collect_list(x)",
    "list_value": "array(x, y)",
    "map_agg object_agg": "map_from_entries(collect_list(struct(k, v)))",
    "mz_now": "now()",
    "parse_timestamp strptime": "to_timestamp(x, 'yyyy-MM-dd')",
    "product": "aggregate(collect_list(x), 1, (a, b) -> a * b)",
    "quantile quantile_cont": "percentile(x, 0.5)",
    "regexp_matches": "regexp_like(x, 'pattern')",
    "regexp_split_to_array split_to_array str_split string_split string_to_array": "split(x, ',')",
    "row": "struct(x, y), or (x, y)",
    "safe_cast": "try_cast(x AS type)",
    "safe_divide": "try_divide(x, y)",
    "session": "GROUP BY session_window(at, '5 minutes')",
    "strpos": "instr(x, 'a')",
    "struct_pack": "named_struct('a', x)",
    "timestamp_diff": "timestampdiff(SECOND, a, b)",
    "to_hex": "hex(x)",
    "tumble": "GROUP BY window(at, '5 minutes')",
    "tumble_end": "window(at, '5 minutes').end",
    "uniq": "count(DISTINCT x)",
    "unnest": "explode(x)",
}.items():
    _INSTEAD.update(dict.fromkeys(_names.split(), _spark))


def instead(name: str) -> str:
    """What to write instead of a function of another system; "" where nothing is known."""
    return f"write {_INSTEAD[name]}" if name in _INSTEAD else ""
