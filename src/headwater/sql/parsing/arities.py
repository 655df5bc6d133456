"""How many arguments each of Spark's functions takes: what a running Spark says, and nothing else.

`tests/spark/test_arities.py` compares this list with a running Spark.  Functions that take any number are not
listed, nor are aggregates and window functions, which have a syntax of their own beside their arguments.
"""

from __future__ import annotations

__all__ = ["TAKEN", "wrong_amount"]

# Numbers of arguments and the functions that take so many; "2+": two and more.
_AMOUNTS = {
    "0": """
        curdate current_catalog current_database current_date current_path current_schema
        current_timezone current_user e input_file_block_length input_file_block_start
        input_file_name monotonically_increasing_id pi session_user spark_partition_id user version""",
    "1": """
        abs acos acosh array_compact array_distinct array_max array_min array_size ascii asin asinh
        atan atanh base64 bigint bin binary bit_count bit_length bitmap_bit_position
        bitmap_bucket_number bitmap_count boolean cardinality cbrt char char_length character_length
        chr collation cos cosh cot crc32 csc date date_from_unix_date day dayname dayofmonth
        dayofweek dayofyear decimal degrees double exp expm1 factorial flatten float from_base32 hex
        hll_sketch_estimate initcap int is_valid_utf8 is_valid_variant is_variant_null isnan
        isnotnull isnull json_array_length json_object_keys kll_sketch_get_n_bigint
        kll_sketch_get_n_double kll_sketch_get_n_float kll_sketch_to_string_bigint
        kll_sketch_to_string_double kll_sketch_to_string_float last_day lcase len length ln log10
        log1p log2 lower luhn_check make_valid_utf8 map_entries map_from_entries map_keys map_values
        md5 month monthname negative not nullifzero octet_length parse_json positive quarter quote
        radians raise_error reverse rint schema_of_variant sec sha sha1 sign signum sin sinh size
        smallint soundex space sqrt st_geogfromwkb st_srid string tan tanh theta_sketch_estimate
        time time_from_micros time_from_millis time_from_seconds time_to_micros time_to_millis
        time_to_seconds timestamp timestamp_micros timestamp_millis timestamp_nanos
        timestamp_seconds tinyint to_base32 to_variant_object try_parse_json try_url_decode
        try_validate_utf8 tuple_sketch_estimate_double tuple_sketch_estimate_integer
        tuple_sketch_theta_double tuple_sketch_theta_integer typeof ucase unbase64 unhex unix_date
        unix_micros unix_millis unix_nanos unix_seconds upper url_decode url_encode validate_utf8
        vector_avg vector_sum weekday weekofyear window_time year zeroifnull""",
    "1+": "coalesce concat_ws format_string hash hour minute printf second try_make_interval xxhash64",
    "2": """
        add_months and array_append array_contains array_except array_intersect array_position
        array_prepend array_remove array_repeat array_union arrays_overlap atan2 bit_get collate
        contains date_add date_diff date_format date_part date_sub date_trunc dateadd datediff
        datepart div element_at encode endswith equal_null exists extract filter find_in_set forall
        format_number from_utc_timestamp get get_json_object getbit hypot ifnull
        jaro_winkler_similarity kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double
        kll_sketch_get_quantile_float kll_sketch_get_rank_bigint kll_sketch_get_rank_double
        kll_sketch_get_rank_float kll_sketch_merge_bigint kll_sketch_merge_double
        kll_sketch_merge_float left map_contains_key map_filter map_from_arrays mod nanvl next_day
        nullif nvl or pmod pow power regexp regexp_count regexp_like regexp_substr repeat right
        rlike session_window sha2 shiftleft shiftright shiftrightunsigned st_setsrid startswith
        theta_difference theta_intersection time_trunc to_char to_number to_utc_timestamp to_varchar
        transform transform_keys transform_values trunc try_add try_divide try_element_at try_mod
        try_multiply try_subtract try_to_number tuple_difference_double tuple_difference_integer
        tuple_difference_theta_double tuple_difference_theta_integer vector_cosine_similarity
        vector_inner_product vector_l2_distance xpath xpath_boolean xpath_double xpath_float
        xpath_int xpath_long xpath_number xpath_short xpath_string""",
    "2+": "decode elt greatest java_method json_tuple least reflect stack try_reflect variant_delete",
    "3": """
        array_insert between conv if make_date make_time map_zip_with nvl2 slice split_part
        substring_index time_diff translate try_variant_array_append try_variant_insert
        variant_array_append variant_insert zip_with""",
    "4": "width_bucket",
    "0 1": """
        current_time current_timestamp explode explode_outer inline inline_outer localtime
        localtimestamp now posexplode posexplode_outer rand randn random uuid""",
    "1 2": """
        approx_top_k_estimate array_sort assert_true bround btrim ceil ceiling floor from_unixtime
        log ltrim randstr round rtrim schema_of_avro schema_of_csv schema_of_json schema_of_xml
        shuffle sort_array st_asbinary st_geomfromwkb to_avro to_binary to_csv to_date to_json
        to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_xml trim
        try_to_binary try_to_date try_to_time try_to_timestamp tuple_sketch_summary_double
        tuple_sketch_summary_integer vector_norm vector_normalize""",
    "2 3": """
        array_join convert_timezone from_avro from_csv from_json from_xml hll_union hmac ilike
        levenshtein like locate lpad months_between parse_url position regexp_extract
        regexp_extract_all regexp_instr replace rpad sequence split substr substring theta_union
        time_bucket try_parse_url try_variant_get tuple_intersection_double
        tuple_intersection_integer tuple_intersection_theta_double tuple_intersection_theta_integer
        uniform variant_get""",
    "2 6": "make_timestamp_ntz try_make_timestamp_ntz",
    "3 4": "aggregate overlay reduce regexp_replace",
    "0 1 2": "make_ym_interval unix_timestamp variant_strip_nulls",
    "1 2 3": "sentences str_to_map",
    "2 3 4": "from_protobuf instr to_protobuf window",
    "2 3 6+": "make_timestamp_ltz try_make_timestamp_ltz",
    "1 2 3 6+": "make_timestamp try_make_timestamp",
    "2 3 4 5": "aes_decrypt try_aes_decrypt",
    "0 1 2 3 4": """
        make_dt_interval try_variant_set tuple_union_double tuple_union_integer
        tuple_union_theta_double tuple_union_theta_integer variant_set""",
    "2 3 4 5 6": "aes_encrypt",
    "0 1 2 3 4 5": "mask",
}
TAKEN: dict[str, str] = {name: amounts for amounts, names in _AMOUNTS.items() for name in names.split()}


def wrong_amount(name: str, arguments: int) -> str:
    """What a function takes, if that is another number of arguments than it is given; else nothing."""
    amounts = TAKEN.get(name, "").split()
    fits = any(
        arguments >= int(amount[:-1]) if amount.endswith("+") else arguments == int(amount)
        for amount in amounts
    )
    if not amounts or fits:
        return ""
    listed = [f"{amount[:-1]} or more" if amount.endswith("+") else amount for amount in amounts]
    return " or ".join(listed) if len(listed) < 3 else f"{', '.join(listed[:-1])} or {listed[-1]}"
