"""What a notebook passes to the Python API: texts where a timedelta or a list would do, and mistakes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import headwater as hw

SQL = """
CREATE TABLE orders (id BIGINT PRIMARY KEY, amount INT);
CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM orders WHERE amount > 1;
"""


@pytest.fixture
def shop(tmp_path: Path) -> hw.Headwater:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(SQL)
    opened = hw.open(tmp_path)  # a Path is as good as a text
    opened.ingest("orders", [{"id": 1, "amount": 5}])
    return opened


def test_a_project_shows_what_it_is(shop: hw.Headwater) -> None:
    assert repr(shop) == "<Headwater shop: 1 tables, 1 views>"


def test_a_table_can_be_read_and_asked(shop: hw.Headwater) -> None:
    assert shop.read("orders").to_pylist() == [{"id": 1, "amount": 5}]
    assert shop.sql("SELECT count(*) FROM orders").to_pylist() == [{"count(*)": 1}]


def test_an_instant_may_be_a_text(shop: hw.Headwater) -> None:
    now = datetime.now(UTC)
    assert len(shop.read("orders", as_of=now.isoformat())) == len(shop.read("orders", as_of=now)) == 1
    with pytest.raises(hw.InputError, match='as_of: "yesterday" is not an instant'):
        shop.read("orders", as_of="yesterday")


def test_a_duration_of_another_type_is_said_to_be_wrong(shop: hw.Headwater) -> None:
    with pytest.raises(TypeError, match='max_staleness is a timedelta or a text such as "5s", not int'):
        shop.read("big", max_staleness=5)  # type: ignore[arg-type]
    with pytest.raises(hw.InputError, match="duration: 'soon' is not an interval"):
        shop.run(duration="soon")


def test_a_lone_name_is_not_taken_for_its_letters(shop: hw.Headwater, tmp_path: Path) -> None:
    with pytest.raises(hw.InputError, match='there is no view "bigg"'):
        shop.verify("bigg")
    with pytest.raises(hw.InputError, match="nowhere.sql"):
        shop.plan(str(tmp_path / "nowhere.sql"))
