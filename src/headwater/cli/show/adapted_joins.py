"""The adapted joins of `headwater status`: the part of the matches that they find, and which rows probe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.cli.show.chosen_tables import share_text
from headwater.cli.show.output import console, print_table
from headwater.cli.show.tables import Column
from headwater.clock import instant_text

if TYPE_CHECKING:
    from headwater.serve.reports.joins import JoinStatus, StreamAllowance
    from headwater.serve.reports.status import Status

__all__ = ["print_adapted_joins"]

COLUMNS = (
    Column("adapted join"), Column("matches found", True), Column("stale", True),
    Column("late rows", True, 1), Column("probing in the last push", rank=2),
    Column("time it got", True, 3, unless_zero=True),
)  # fmt: skip


def print_adapted_joins(current: Status) -> None:
    if not current.joins:
        return
    print_table("", COLUMNS, [_row(join) for join in current.joins])
    for join in current.joins:
        if join.choosing and (said := _why(join)):
            console().print(f"{join.view} is choosing: {said}", style="yellow", markup=False)
        elif join.adaptations and join.exact_since is not None:
            console().print(
                f"{join.view} finds all matches since {instant_text(join.exact_since)}", markup=False
            )


def _why(join: JoinStatus) -> str:
    """Why it began to choose, and what was last decided about its allowances."""
    entered = [change.reason for change in join.adaptations if change.event == "entered"][-1:]
    decided = [change.reason for change in join.adaptations if change.event in ("adapted", "kept")][-1:]
    return ". ".join((*entered, *decided))


def _row(join: JoinStatus) -> tuple[str, ...]:
    share = f"{join.share_of_matches:.1%}{'' if join.measured else ' (expected)'}"
    probing = ", ".join(map(_allowance, join.allowances))
    return (
        join.view,
        share,
        f"{join.stale_results:,}",
        f"{join.late_rows:,}",
        probing,
        share_text(join.share, join.weight),
    )


def _allowance(stream: StreamAllowance) -> str:
    return f"{stream.stream} {stream.probed:,} of {stream.arrived:,}"
