"""The text of a view as Spark is given it."""

from __future__ import annotations

import pytest

from headwater.engine.query.user_sql import spark_text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SELECT a FROM t", "SELECT a FROM t"),
        ("SELECT naïve FROM t", "SELECT `naïve` FROM t"),
        ("SELECT t.naïve, `ä`, 'ö' -- ü\nFROM größe t", "SELECT t.`naïve`, `ä`, 'ö' -- ü\nFROM `größe` t"),
    ],
)
def test_only_bare_names_beyond_ascii_are_quoted(text: str, written: str) -> None:
    assert spark_text(text, 0) == written
