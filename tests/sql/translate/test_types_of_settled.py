"""Aggregates that are computed as another have their own type, over groups and over windows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from headwater.model import Column, SqlText, View
from headwater.sql.translate.translation import translate

COLUMNS = (Column("x", "bigint"), Column("n", "string"), Column("d", "decimal(9,2)"))
CALLS = {
    "approx_percentile(x, 0.5)": "bigint",
    "percentile_approx(d, array(0.1, 0.9))": "array<decimal(9,2)>",
    "max_by(n, x)": "string",
    "mode(n)": "string",
    "any_value(d)": "decimal(9,2)",
    "collect_list(x)": "array<bigint>",
    "collect_set(n)": "array<string>",
}


@pytest.mark.parametrize("over", ["", " OVER ()", " OVER (PARTITION BY n)"])
def test_the_type_is_that_of_the_function(over: str) -> None:
    listed = ", ".join(f"{call}{over} AS c{at}" for at, call in enumerate(CALLS))
    view = View("v", SqlText(f"SELECT {listed} FROM t"), timedelta(seconds=1))
    assert translate(view, {"t": COLUMNS}).types == tuple(CALLS.values())


def test_what_it_is_compared_with_is_of_that_type() -> None:
    text = "SELECT x > approx_percentile(x, 0.95) OVER () AS large FROM t"
    assert translate(View("v", SqlText(text), timedelta(seconds=1)), {"t": COLUMNS}).types == ("boolean",)
