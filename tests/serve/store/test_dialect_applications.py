"""The applications of `check`'s own tests, whatever database they were written for: the store answers as DuckDB does.

Every query that has a bound in the part of the schema that our SQL can say, on random rows, after inserts, updates and
deletes, within its bound.
"""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from headwater.errors import InputError
from headwater.serve.store.answering import Answering
from headwater.serve.store.declared import DeclaredQuery
from support.store.applications import Duck, change, parameters, parents_first, same_answer
from support.store.dialect_applications import LikelyRows, application
from support.store.projects import StoreProject

FOLDER = Path(__file__).parents[2] / "bounds" / "levels" / "applications"
FILES = sorted(FOLDER.glob("*.sql"))
OFTEN = {"doctrine_stock", "sqlalchemy_iot"}  # in `make test`; the others in `make bench`
ROUNDS, ASKED = 3, 3
REFUSED = {
    "HW433": "a value of another type than the parameter's",
    "HW438": "a function that the store does not compute",
    "HW439": "an assumed reference that these rows break",
}
_MOMENT = re.compile(r"\b(current_(date|timestamp|time)|now|rand|uuid)\b", re.IGNORECASE)


def compared(query: DeclaredQuery, answering: Answering, rows: LikelyRows, duck: Duck) -> int:
    if query.bound is None or _MOMENT.search(query.sql):  # the project has a clock of its own
        return 0
    done = 0
    for _ in range(ASKED):
        given = parameters(query, rows)
        try:
            answer = answering.answer(query.name, given)
        except InputError as error:
            if error.code not in REFUSED:
                raise
            continue
        assert answer.operations <= query.bound
        try:
            same_answer(query, given, answer.rows, duck)
        except (duckdb.Error, InputError):  # it does not read the query, or not these values
            continue
        done += 1
    return done


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.stem in OFTEN else pytest.mark.long)
        for path in FILES
    ],
    ids=lambda path: path.stem,
)
def test_answers_of_an_application(path: Path, tmp_path: Path) -> None:
    app = application(path)
    if not app.queries:
        pytest.skip("no query has a bound in what our SQL can say of its schema")
    project, rows, done = StoreProject(tmp_path / "app", app.text), LikelyRows(app.tables, seed=7), 0
    rows.literals = app.literals
    for name in parents_first(rows.tables):
        project.append(name, rows.fill(name, 45))
    for _ in range(ROUNDS):
        project.keep()
        answering, duck = project.answering(), Duck(rows)
        done += sum(compared(query, answering, rows, duck) for query in answering.queries.values())
        assert answering.breaches == project.keeper.breaches == 0
        change(project, rows)
    assert done >= len(app.queries) or path.stem not in OFTEN
