"""The text of a view that Spark recomputes, as of a time."""

from __future__ import annotations

import pytest

from headwater.sql.parsing.moments import has_moments, text_at, text_moves

DAY = 24 * 3_600_000_000


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SELECT now() FROM t", "SELECT timestamp_micros(0) FROM t"),
        ("SELECT NOW ( ) FROM t", "SELECT timestamp_micros(0) FROM t"),
        ("WHERE a > current_timestamp - x", "WHERE a > timestamp_micros(0) - x"),
        ("WHERE a > CURRENT_TIMESTAMP()", "WHERE a > timestamp_micros(0)"),
        ("SELECT current_date, curdate()", "SELECT DATE '1970-01-01', DATE '1970-01-01'"),
        ("SELECT localtimestamp", "SELECT TIMESTAMP_NTZ '1970-01-01 00:00:00'"),
        ("SELECT unix_timestamp()", "SELECT unix_timestamp(timestamp_micros(0))"),
        ("SELECT unix_timestamp(at)", "SELECT unix_timestamp(at)"),
        ("SELECT t.current_date, `now`(), now, 'now()' -- now()", None),
    ],
)
def test_moments_are_replaced_and_nothing_else(text: str, written: str | None) -> None:
    assert text_at(text, 0) == (text if written is None else written)
    assert has_moments(text) == (written is not None and written != text)


def test_a_text_moves_with_its_time() -> None:
    assert text_moves("SELECT now()", 0, 1)
    assert not text_moves("SELECT current_date()", 0, 1)
    assert text_moves("SELECT current_date()", 0, DAY)
    assert not text_moves("SELECT 1", 0, DAY)
