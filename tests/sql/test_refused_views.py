"""Views that cannot be kept as they are written: each is refused where it is declared, at its place and in these words.

tests/support/sql/views/refused.txt has the tables, then for each text the code before it and the message below.
Most are what Spark refuses too, but only when a view runs.
"""

from __future__ import annotations

import pytest

from headwater.catalog import build
from headwater.errors import InputError
from headwater.model import Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.sql.suite import FOLDER

TABLES, LISTED = (FOLDER / "refused.txt").read_text().split("\n\n")
LINES = LISTED.splitlines()
REFUSED = [
    (*first.split(" ", 1), second.strip()) for first, second in zip(LINES[::2], LINES[1::2], strict=True)
]


def declared(text: str) -> None:
    project = resolve(parse_statements(f"{TABLES}\nCREATE MATERIALIZED VIEW v AS {text};\n"))
    tables = {table.name: table for table in project.tables}
    build(Project("p", "", "", tables, {view.name: view for view in project.views}, {}, {}))


def judged(text: str) -> InputError:
    with pytest.raises(InputError) as refused:
        declared(text)
    return refused.value


def test_what_cannot_be_kept_is_refused_at_its_place_in_these_words(caplog: pytest.LogCaptureFixture) -> None:
    for code, text, message in REFUSED:
        error = judged(text)
        assert (error.code, error.message) == (code, message), text
        assert error.place is not None, text
        assert error.place.line == TABLES.count("\n") + 2, text
    assert [record.message for record in caplog.records] == []


def test_there_are_enough_of_them() -> None:
    assert len(REFUSED) >= 140
