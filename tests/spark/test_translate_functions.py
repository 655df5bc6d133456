"""Translated expressions mean on Spark what the user's text means, and have the types that we say.

All expressions run in one query each way: the text over a table, and the translation over the same table with
columns named as in a plan.  The lists of functions are compared with Spark's own registry.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from headwater.algebra.expressions.tree import spark_sql
from headwater.algebra.plans.nodes import Aggregate, Project, Scan
from headwater.errors import InputError
from headwater.model import Column, SqlText, View
from headwater.sql.translate import translate
from headwater.sql.translate.scalars import spark_functions

pytestmark = pytest.mark.spark

COLUMNS = {
    "id": "int", "k": "bigint", "i": "int", "s": "string", "t": "string", "d": "double", "f": "float",
    "n": "decimal(10,2)", "m": "decimal(12,4)", "b": "boolean", "day": "date", "at": "timestamp",
    "small": "smallint",
}  # fmt: skip
D, T = datetime.date, datetime.datetime
ROWS = [
    (1, 10, 3, "Ab c", "x,y", 2.5, 0.5, Decimal("12.34"), Decimal("1.5000"), True, D(2024, 2, 29), T(2024, 2, 29, 13, 14, 15), 3),
    (2, -7, 0, "", "{a}", -1.25, 1.5, Decimal("-3.00"), Decimal("2.2500"), False, D(1999, 12, 31), T(1999, 12, 31, 23, 59, 59), -2),
    (3, 2, 5, "100%_'q'", "2020-01-05", 0.0, 2.0, Decimal("0.05"), Decimal("7.0001"), None, D(2020, 1, 5), T(2020, 1, 5), 0),
    (4, None, None, None, None, None, None, None, None, None, None, None, None),
]  # fmt: skip

EXPRESSIONS = """
i + 1 | k - i | n * 2 | n * m | n / 3 | m / nullif(n, 0) | i / 2 | i DIV 2 | i % 2 | -n | - i | n + d | f + 1 | f * 2 | d / 2
n + m | n - 1.5 | k * 1.25 | small + i | small + small | i & 3 | i | 4 | i ^ 1 | ~i | i << 2 | i >> 1
i = 3 | n >= 1 | s <> t | i <=> NULL | b AND i > 1 | b OR i > 1 | NOT b | !b | b IS TRUE | b IS NOT FALSE
s IS NULL | s IS NOT NULL | i IS DISTINCT FROM 3 | i BETWEEN 1 AND 4 | i NOT BETWEEN 1 AND 4 | i IN (1, 3) | i NOT IN (1, NULL)
s LIKE 'A%' | s NOT LIKE '%c' | s LIKE '%!%%' ESCAPE '!' | s LIKE '%\\_%' | s ILIKE 'ab%' | s RLIKE '^[A-Z]' | s LIKE ANY ('A%', '1%') | s LIKE ALL ('%', 'A%')
CASE WHEN i > 1 THEN n ELSE 0 END | CASE i WHEN 3 THEN 'a' WHEN 5 THEN 'b' END | if(b, i, k) | nvl2(i, 1, 2.5) | iff_off
CAST(i AS STRING) | CAST(n AS INT) | i::decimal(12,3) | TRY_CAST(s AS INT) | CAST(day AS TIMESTAMP) | CAST(at AS DATE) | string(i) | double(n) | bigint(i)
coalesce(i, 7) | coalesce(i, k, 0) | coalesce(n, 0) | coalesce(s, t, 'z') | nullif(i, 3) | ifnull(s, 'z') | nvl(d, 1) | greatest(i, 2) | greatest(n, 2.555) | least(d, 1)
upper(s) | lower(s) | length(s) | concat(s, t) | s || '-' || t | concat_ws(',', s, t) | substring(s, 2, 2) | substr(s, 2) | substring(s FROM 2 FOR 1) | left(s, 2) | right(s, 2)
trim(s) | trim(BOTH 'A' FROM s) | ltrim(s) | rtrim('c', s) | lpad(s, 6, '*') | rpad(s, 6, '*') | replace(s, 'b', '{}') | translate(s, 'Ab', 'xy') | initcap(s) | reverse(s) | repeat(s, 2)
instr(s, 'b') | locate('b', s) | position('b' IN s) | overlay(s PLACING 'zz' FROM 2) | split(t, ',') | split_part(t, ',', 1) | substring_index(t, ',', 1) | regexp_replace(s, '[a-z]+', '{0}') | regexp_extract(s, '([A-Z])', 1) | startswith(s, 'A') | contains(s, 'b') | ascii(s) | md5(s) | sha2(s, 256) | hash(i, s) | xxhash64(k) | crc32(s) | base64(CAST(s AS BINARY)) | hex(i) | format_string('%s-%d', s, i) | levenshtein(s, t) | soundex(s)
abs(i) | abs(n) | round(n, 1) | round(d) | round(d, 1) | round(n) | bround(n, 1) | floor(d) | ceil(d) | floor(n) | ceil(n) | floor(i) | sqrt(abs(d)) | pow(i, 2) | exp(d) | ln(d + 3) | log10(k + 20) | log2(k + 20) | sign(d) | mod(i, 2) | pmod(k, 3) | cbrt(d) | degrees(d) | factorial(i) | bin(i) | conv('ff', 16, 10) | width_bucket(d, 0, 10, 5) | try_divide(i, 0) | try_add(i, 1) | sin(d) | atan2(d, 1) | e() | pi()
year(at) | month(day) | day(at) | dayofweek(day) | dayofyear(day) | weekofyear(day) | quarter(at) | hour(at) | minute(at) | second(at) | extract(YEAR FROM at) | extract(SECOND FROM at) | date_part('month', day) | date_trunc('hour', at) | date_trunc('MONTH', at) | trunc(day, 'MM') | date_add(day, 3) | date_sub(day, 3) | dateadd(DAY, 2, at) | timestampadd(HOUR, 2, at) | datediff(day, DATE '2020-01-01') | date_diff(day, DATE '2020-01-01') | timestampdiff(MINUTE, at, TIMESTAMP '2024-01-01 00:00:00') | add_months(day, 2) | last_day(day) | next_day(day, 'MON') | months_between(at, day) | date_format(at, 'yyyy-MM-dd HH:mm') | to_date(at) | to_date('2020-02-03', 'yyyy-MM-dd') | to_timestamp('2020-02-03 04:05:06') | unix_timestamp(at) | from_unixtime(k) | unix_seconds(at) | timestamp_seconds(i) | day + 1 | day - 1 | day - DATE '2020-01-01' > INTERVAL '2' DAY | at + INTERVAL '1' HOUR | day + INTERVAL '1' DAY | at - INTERVAL '1 2:03' DAY TO MINUTE | make_date(2020, 1, i + 1) | day < at | day = DATE '2020-01-05' | at > '2020-01-01' | from_utc_timestamp(at, 'Europe/Rome') | dayname(day) | weekday(day)
array(i, 2)[0] | array(1, i) | size(array(i, 2)) | element_at(array(i, 2), 1) | array_contains(array(1, 2), i) | sort_array(array(i, 1)) | array_join(split(t, ','), '-') | array_max(array(i, 2)) | array_distinct(array(1, 1)) | slice(array(1, 2, 3), 1, 2) | transform(array(i, 2), x -> x + i) | filter(array(1, 2, 3), x -> x > i) | exists(array(1, 2), x -> x = i) | aggregate(array(1, 2), 0, (a, x) -> a + x + i) | sequence(1, 3) | map('a', i)['a'] | map_keys(map('a', i)) | element_at(map('a', i), 'a')
struct(i, s).s | struct(i AS q, s).q | struct(i, n + 1) | named_struct('A', i, 'b', s).a | to_json(struct(i, s)) | to_json(named_struct('a{b', i)) | get_json_object('{"a": 1}', '$.a') | from_json('{"a": 1}', 'a INT').a | isnull(i) | isnotnull(i) | isnan(d) | typeof(n)
'it''s' | 'a\\'b' | "double" | 'tab\\tx' | '{braces}' | r'raw\\d' | 10L | 1.5D | 1.50BD | 1e3 | .5 | 2147483648 | -5 | TRUE | NULL | X'1AFF' | DATE '2020-01-01' | TIMESTAMP '2020-01-01 10:00:00.5' | INTERVAL '2' DAY < INTERVAL '3' DAY
""".replace("| iff_off", "").strip()  # fmt: skip


def expressions() -> list[str]:
    """One an entry; ` | ` separates them, so that `i | 4`, the bitwise operator, is put in by hand."""
    found = [text.strip() for line in EXPRESSIONS.splitlines() for text in line.split(" | ")]
    joined = found.index("i")
    return [*found[:joined], "i | 4", *found[joined + 2 :]]


AGGREGATES = """
count(*) | count(1) | count(i) | count(i, s) | count(DISTINCT i) | count(DISTINCT i, s) | count_if(b) | sum(i) | sum(n) | sum(d) | sum(f) | sum(k) | sum(small)
sum(DISTINCT i) | sum(n * i) | sum(n) FILTER (WHERE b) | avg(i) | avg(n) | avg(d) | mean(m) | min(s) | max(at) | min(b) | max(struct(day, s)).s | max(DISTINCT i)
variance(d) | var_pop(d) | stddev(n) | stddev_pop(i) | bool_and(b) | bool_or(b) | every(b) | some(b) | any(b) | bit_and(i) | bit_xor(i) | corr(d, i) | covar_samp(d, i)
median(d) | percentile(i, 0.5) | percentile_cont(0.25) WITHIN GROUP (ORDER BY d DESC) | approx_count_distinct(i) | sort_array(collect_set(s)) | sort_array(collect_list(i))
size(collect_set(s)) | skewness(d) | kurtosis(d) | mode(i, true) | try_sum(i) | sum(CASE WHEN b THEN 1 ELSE 0 END) | sum(coalesce(n, 0)) | avg(n) * 2 | max(n) - min(n) | sum(i) / count(*)
""".strip()  # fmt: skip

AGGREGATES_LISTED = [text.strip() for line in AGGREGATES.splitlines() for text in line.split(" | ")]


@pytest.fixture(scope="module")
def table(spark: SparkSession) -> Iterator[DataFrame]:
    schema = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    frame = spark.createDataFrame(ROWS, schema).coalesce(1).cache()
    frame.createOrReplaceTempView("r")
    yield frame
    spark.catalog.dropTempView("r")


def relations() -> dict[str, list[Column]]:
    return {"r": [Column(name, kind) for name, kind in COLUMNS.items()]}


def over_plan(frame: DataFrame) -> DataFrame:
    """The table with columns named as a Scan names them."""
    return frame.toDF(*(f"r.{name}" for name in frame.columns))


def test_scalar_expressions(spark: SparkSession, table: DataFrame) -> None:
    listed = expressions()
    assert len(listed) > 200
    sql = f"SELECT id, {', '.join(f'{one} AS x{index}' for index, one in enumerate(listed))} FROM r"
    translated = translate(View("v", SqlText(sql), datetime.timedelta(seconds=1)), relations())
    assert translated.obstacles == ()
    assert isinstance(translated.plan, Project)
    assert isinstance(translated.plan.child, Scan)
    ours = over_plan(table).selectExpr(*(spark_sql(expr) for _, expr in translated.plan.items))
    compare(spark.sql(sql), ours, translated.types, ["id", *listed])


# Spark 4.3 cannot plan listagg in order beside a count(DISTINCT ...), so it stands in a query of its own.
ORDERED = [
    "listagg(s, ',') WITHIN GROUP (ORDER BY s)",
    "string_agg(t) WITHIN GROUP (ORDER BY t DESC)",
    "max(i) + 1",
]


@pytest.mark.parametrize("listed", [AGGREGATES_LISTED, ORDERED], ids=["plain", "in order"])
def test_aggregates(spark: SparkSession, table: DataFrame, listed: list[str]) -> None:
    sql = f"SELECT {', '.join(f'{one} AS x{index}' for index, one in enumerate(listed))} FROM r"
    translated = translate(View("v", SqlText(sql), datetime.timedelta(seconds=1)), relations())
    assert translated.obstacles == ()
    assert isinstance(translated.plan, Project)
    groups = translated.plan.child
    assert isinstance(groups, Aggregate)
    calls = []
    for aggregate in groups.aggregates:
        written = aggregate.template.format(*map(spark_sql, aggregate.arguments))
        where = f" FILTER (WHERE {spark_sql(aggregate.where)})" if aggregate.where is not None else ""
        calls.append(f"{written}{where} AS `{aggregate.name}`")
    ours = over_plan(table).selectExpr(*calls)
    ours = ours.selectExpr(*(spark_sql(expr) for _, expr in translated.plan.items))
    compare(spark.sql(sql), ours, translated.types, listed)


def compare(theirs: DataFrame, ours: DataFrame, types: tuple[str, ...], listed: list[str]) -> None:
    wrong = []
    for field, other, kind, text in zip(theirs.schema, ours.schema, types, listed, strict=True):
        spark_type = field.dataType.simpleString()
        if spark_type != other.dataType.simpleString():
            wrong.append(f"{text}: Spark has {spark_type}, the translation {other.dataType.simpleString()}")
        if kind and kind != spark_type:
            wrong.append(f"{text}: Spark has {spark_type}, we say {kind}")
    for row, mine in zip(theirs.collect(), ours.collect(), strict=True):
        wrong += [
            f"{text}: {value!r} became {other!r}"
            for text, value, other in zip(listed, row, mine, strict=True)
            if repr(value) != repr(other)
        ]
    assert wrong == []


SAMPLES = {
    "boolean": "b", "int": "i", "decimal": "n", "double": "d", "string": "s", "date": "day", "timestamp": "at",
    "binary": "X'1F'", "array": "array(i)", "map": "map(i, s)", "struct": "struct(i)", "void": "NULL",
}  # fmt: skip
FORMS = ["{0} = {1}", "{0} < {1}", "{0} + {1}", "{0} * {1}", "{0} IN ({1})", "{0} AND {1}", "NOT {0}"]
CALLS = ["sum({0})", "avg({0})", "min({0})", "max({0})", "bool_and({0})", "count_if({0})", "stddev({0})"]


def clashing() -> list[str]:
    """Every form over every pair of types that we refuse."""
    found = [
        form.format(sample, two) for form in FORMS for sample in SAMPLES.values() for two in SAMPLES.values()
    ]
    found += [call.format(sample) for call in CALLS for sample in SAMPLES.values()]
    refused = []
    for text in dict.fromkeys(found):
        view = View("v", SqlText(f"SELECT {text} AS x FROM r"), datetime.timedelta(seconds=1))
        try:
            translate(view, relations())
        except InputError as error:
            if error.code == "HW308":
                refused.append(text)
    return refused


def test_we_refuse_no_types_that_spark_takes(spark: SparkSession, table: DataFrame) -> None:
    refused = clashing()
    assert len(refused) > 150
    taken = []
    for text in refused[::3]:  # every third: one analysis takes Spark 50 ms
        try:
            spark.sql(f"SELECT {text} AS x FROM r")
        except AnalysisException:
            continue
        taken.append(text)
    assert taken == []


def test_the_lists_of_functions_are_sparks_own(spark: SparkSession) -> None:
    registry = spark._jsparkSession.sessionState().functionRegistry()  # type: ignore[attr-defined]
    names: dict[str, str] = {}
    listed = registry.listFunction().iterator()
    while listed.hasNext():
        one = listed.next()
        names[one.funcName()] = registry.lookupFunction(one).get().getGroup()
    named = {name: group for name, group in names.items() if name.replace("_", "a").isalnum()}
    ours = (
        spark_functions.SCALARS
        | spark_functions.AGGREGATES
        | spark_functions.GENERATORS
        | spark_functions.WINDOW_FUNCTIONS
    )
    assert set(named) - ours == set()
    assert {name for name, group in named.items() if group == "agg_funcs"} <= spark_functions.AGGREGATES
    assert {
        name for name, group in named.items() if group == "window_funcs"
    } == spark_functions.WINDOW_FUNCTIONS
    assert {name for name, group in named.items() if group == "generator_funcs"} <= spark_functions.GENERATORS
