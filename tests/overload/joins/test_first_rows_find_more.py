"""Of rows that come with one push those that came first find the most: why they probe first (docs/design).

Three streams are joined by DuckDB within a window; a result counts for the row that came last, by push and place, and is
found if that row is among those of its push that may probe.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

RATES, SECONDS = {"a": 20, "b": 40, "c": 80}, 120
DOMAINS = {"ab": 100, "bc": 400}
LAST = {
    "a": "b.push < a.push AND c.push < a.push",
    "b": "a.push <= b.push AND c.push < b.push",
    "c": "a.push <= c.push AND b.push <= c.push",
}
PROBES = {
    "first": "{row}.by_time <= {share}",
    "newest": "{row}.by_time >= 1 - {share}",
    "whichever": "{row}.by_chance <= {share}",
}


def streams(database: duckdb.DuckDBPyConnection, push: int) -> None:
    chance = np.random.default_rng(1)
    for name, rate in RATES.items():
        rows = rate * SECONDS
        drawn = {column: chance.integers(0, domain, rows) for column, domain in DOMAINS.items()}
        columns = {"came": chance.uniform(0, SECONDS, rows), "drawn": chance.random(rows), **drawn}
        database.register("columns", columns)
        of_push = f"OVER (PARTITION BY floor(came / {push}) ORDER BY"
        database.execute(
            f"CREATE TABLE {name} AS SELECT *, floor(came / {push}) AS push,"
            f" percent_rank() {of_push} came) AS by_time, percent_rank() {of_push} drawn) AS by_chance FROM columns"
        )


def found(push: int, window: int, share: float) -> dict[str, tuple[float, float]]:
    """By order: the part of all matches that is found, and how old the oldest row of a result is then, in seconds."""
    flags = ", ".join(
        " OR ".join(f"({last} AND {probes.format(row=row, share=share)})" for row, last in LAST.items())
        + f" AS {order}"
        for order, probes in PROBES.items()
    )
    oldest, newest = "least(a.came, b.came, c.came)", "greatest(a.came, b.came, c.came)"
    with duckdb.connect(config={"threads": 1}) as database:
        streams(database, push)
        database.execute(
            f"CREATE TABLE results AS SELECT {flags}, (floor({newest} / {push}) + 1) * {push} - {oldest} AS age"
            f" FROM a JOIN b ON a.ab = b.ab JOIN c ON b.bc = c.bc WHERE {newest} - {window} <= {oldest}"
        )
        answers = {}
        for order in PROBES:
            (answer,) = database.execute(
                f"SELECT count(*) FILTER ({order}) / count(*), avg(age) FILTER ({order}) FROM results"
            ).fetchall()
            answers[order] = answer
    return answers


@pytest.mark.parametrize(("push", "window"), [(2, 20), (5, 20), (20, 20)])
def test_rows_that_came_first_find_the_most(push: int, window: int) -> None:
    shares = found(push, window, 1 / 3)
    assert shares["first"][0] > shares["whichever"][0] > shares["newest"][0]
    # What that costs: results are older, within what streams tolerate, by less than a push takes in.
    assert 0 < shares["first"][1] - shares["newest"][1] < push
