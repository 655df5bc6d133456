"""docs/supported-sql.md says what translation does, because it is written from what translation does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.sql.constructs import CONSTRUCTS, FULL, KEPT, REFUSED, Construct, outcome_of

PAGE = Path(__file__).parents[3] / "docs" / "supported-sql.md"

HEAD = """# Supported SQL

A view's SELECT is Spark SQL. Headwater keeps a view incrementally when every part of it has a delta rule: a push
then costs work in the size of the changes. A view with any other part that Spark can run is kept by **full
refresh**: Spark recomputes it and the difference is stored. What cannot be repeated is **refused**, because a
view at a time must equal its SQL over the sources as of that time.

`EXPLAIN CREATE MATERIALIZED VIEW` shows which of these a view is, and the place of the part that decides.
`REFRESH POLICY INCREMENTAL STRICT` turns a full refresh into an error at that place.

This page is written by `HEADWATER_BLESS=1 pytest tests/sql/translate/test_supported_sql.py` from views that the
tests declare and plan, and that tests/spark/test_constructs.py runs through changes on Spark and verifies.
"""

TAIL = """
## How names and types are read

- Names are compared without regard to case, as in Spark; a column keeps the spelling of the select list.
- A column without a name gets one made of its text: `count(*)` is `count`, `sum(price)` is `sum_price`. A name that a
  table cannot have is stored with underscores: `30 days` as `30_days`.
- A stored view has no order: ORDER BY without LIMIT is checked for errors and left out.
- A subquery in FROM, or a common table expression, that only filters, joins and computes dissolves into the query
  around it; conditions move down to the relation they name; only the columns that are used are read.
- NOT IN is a plain anti-join where both sides are free of NULL: columns declared NOT NULL, or `x IS NOT NULL` in the
  same WHERE. Elsewhere the subquery's NULLs are counted as well.
- `x IN (SELECT ...)` in the select list is FALSE, as in Spark, where SQL would have NULL.

## How window functions and limits are kept

- The rows of the partitions that a change touches are ranked anew, and the differences are stored. Without
  PARTITION BY that is the whole input, and Headwater recomputes or takes the delta, whichever is cheaper.
- Of `row_number() ... <= n` (also rank, dense_rank, `= 1`, QUALIFY, LIMIT) only the first n rows of each partition
  are stored; rows that are only inserted compete with those, and the input is not read.
- Rows that an order leaves equal come in the order of all their columns. `headwater plan` warns, with the place, where
  this decides an answer that Spark gives in any order; `verify` compares with the same choice.
- A subquery that names the query around it becomes a join with its groups; where no equality connects them, with the
  different values of the outer query first. More than one row of a scalar subquery is Spark's error.
- ROLLUP, CUBE and GROUPING SETS are a union of groupings, each kept by itself.

## How time passes

- In a view, now(), current_timestamp, current_date and localtimestamp are the time that the view is as of: the t of
  "a view at t equals its SQL over its sources as of t". `read` says it, and `verify` recomputes with it. Dates are
  those of UTC.
- A view that says now() is pushed as its promise asks, though its sources did not change. Of
  `at > now() - INTERVAL '1' HOUR` a push reads the rows that came, and those whose time the border has passed since
  the last push: by the ranges of times that the Delta log has of each file, not the whole table.
- A comparison with something that grows with now() lets rows only enter or only leave. Any other condition is asked
  for all rows, at both times; so is now() in the select list, and only the rows that differ are written.
- What depends on current_date alone is pushed once a day.

## Where Spark has several right answers

- collect_list, array_agg, collect_set, listagg and string_agg without an order give their elements sorted; any_value
  the least; max_by and min_by the greatest or least value among equals. `headwater plan` warns at the place, and
  `verify` compares with the same choice. Where Spark must run the view's own text (a full refresh) they are refused.

- `array_agg(x ORDER BY y)` and `string_agg(x, ',' ORDER BY y)` keep the order that was asked for; what it leaves equal comes
  in its own order, so that there is one answer. NULL is left out, as collect_list does.

## Names, types, sums

- Types are inferred where Headwater knows Spark's rule. Clashes that Spark would refuse when the view runs (a
  boolean plus a number, a date compared with a boolean) are errors when the view is declared. What is not known
  is left to Spark.
- Sums of integers and decimals are exact and are kept by adding; sums of floats are computed anew for the groups
  that change, so that rounding cannot drift.

## Errors

| code | what |
|---|---|
| HW113 | the SELECT cannot be parsed, or calls a function with a wrong number of arguments |
| HW301, HW302, HW303 | an unknown relation, an unknown column or field, an ambiguous column |
| HW304, HW109, HW325 | two columns of one name, a name that cannot be stored, a wrong number of names |
| HW305, HW306 | a column neither grouped nor aggregated, an aggregate where none may stand |
| HW307 | parts of a set operation with different columns |
| HW308 | types that do not go together |
| HW309 | wrong arguments of `window` |
| HW320, HW330 | something that cannot be repeated, a view of constants in a project without tables |
| HW321 | a cross join |
| HW322 | INCREMENTAL STRICT on a view without a delta rule |
| HW323 | a function that Spark does not have |
| HW324 | a position in GROUP BY or ORDER BY that is not there |
| HW114, HW327 | a parameter in a view, IN with a subquery of another width |
"""


def page() -> str:
    groups = list(dict.fromkeys(construct.group for construct in CONSTRUCTS))
    return HEAD + "".join(section(group) for group in groups) + TAIL


def section(group: str) -> str:
    lines = [f"\n## {group}\n", "| construct | a view with it is | example |", "|---|---|---|"]
    for outcome in (KEPT, FULL, REFUSED):
        lines += [
            f"| {construct.name} | {construct.outcome} | `{construct.sql.replace('|', chr(92) + '|')}` |"
            for construct in CONSTRUCTS
            if construct.group == group and construct.outcome == outcome
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "construct", CONSTRUCTS, ids=lambda construct: f"{construct.group}: {construct.name}"
)
def test_the_outcome_is_the_one_listed(construct: Construct) -> None:
    outcome, reason = outcome_of(construct.sql)
    assert outcome == construct.outcome, reason


def test_the_page_is_up_to_date() -> None:
    if os.environ.get("HEADWATER_BLESS"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "run it again with HEADWATER_BLESS=1"
