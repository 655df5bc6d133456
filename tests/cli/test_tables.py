"""Tables on narrow screens: no word and no number is broken, and the least important columns go first."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from headwater.cli.show.output import print_table
from headwater.cli.show.tables import Column, fit, render
from headwater.units import counted, dollar_text, number_text, percent_text, seconds_text

COLUMNS = (
    Column("view"), Column("rows", True), Column("late", True, 1, unless_zero=True), Column("CPU s", True, 2),
    Column("last refresh", rank=1),
)  # fmt: skip
ROWS = [
    ("revenue_by_category", "1,234,567", 0, "12.3", "incremental"),
    ("orders", 3, 0, "0.1", "full: a recompute is faster"),
]


def shown(width: int) -> list[str]:
    out = Console(width=width, file=io.StringIO())
    out.print(render(fit(COLUMNS, ROWS, width)))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue().splitlines()


@pytest.mark.parametrize("width", range(35, 100))
def test_nothing_is_broken_at_any_width(width: int) -> None:
    lines = shown(width)
    assert max(map(len, lines)) <= width
    words = set(re.findall(r"[^\s│┃]+", " ".join(lines)))
    assert {"revenue_by_category", "1,234,567", "orders"} <= words
    texts = [str(cell) for row in ROWS for cell in row] + [column.name for column in COLUMNS]
    assert {word for word in words if re.search(r"\w", word)} <= {
        word for text in texts for word in text.split()
    }


def test_columns_go_by_their_rank_and_zeros_at_once() -> None:
    names = [column.name for column in fit(COLUMNS, ROWS, 200).columns]
    assert names == ["view", "rows", "CPU s", "last refresh"]
    assert fit(COLUMNS, ROWS, 72).left_out == ()  # the reason wraps
    assert fit(COLUMNS, ROWS, 67).left_out == ("CPU s",)
    assert fit(COLUMNS, ROWS, 59).left_out == ("last refresh", "CPU s")


def test_what_is_left_out_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_table("", COLUMNS, ROWS)
    assert "Not shown here: last refresh, CPU s." in capsys.readouterr().out


def test_a_table_without_rows_has_its_columns() -> None:
    assert [column.name for column in fit(COLUMNS[:2], [], 80).columns] == ["view", "rows"]


def test_numbers_are_as_people_write_them() -> None:
    assert [percent_text(share) for share in (-0.001, 0.0, 0.524, -0.5)] == ["0%", "0%", "52%", "-50%"]
    assert [counted(count, "step") for count in (0, 1, 2, 1_000)] == [
        "0 steps",
        "1 step",
        "2 steps",
        "1,000 steps",
    ]
    assert counted(2, "copy", "copies") == "2 copies"
    numbers = (5_000.0, 0.0123, 0.0, 1234567.0, 10.0, 0.1 + 0.2, 99.96)
    assert [number_text(number) for number in numbers] == [
        "5,000",
        "0.0123",
        "0",
        "1,234,567",
        "10",
        "0.3",
        "100",
    ]
    assert [seconds_text(seconds) for seconds in (30.0, 0.01, 604_800.0)] == ["30 s", "0.01 s", "604,800 s"]
    assert [dollar_text(dollars) for dollars in (-0.00001, 0.12345)] == ["0.0000", "0.1235"]


def test_records_have_room_for_all_columns_and_show_no_empty_cells(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    columns = (Column("view"), Column("rows", True, 1), Column("slot", rank=2))
    print_table("", columns, [("x" * 70, 5, ""), ("short", 7, "a_slot")])
    shown = capsys.readouterr().out
    assert "Not shown here" not in shown
    assert [line.split() for line in shown.splitlines() if "rows" in line] == [["rows", "5"], ["rows", "7"]]
    assert [line.split() for line in shown.splitlines() if "slot" in line] == [["slot", "a_slot"]]
