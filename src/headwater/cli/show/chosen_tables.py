"""The tables of `headwater status` whose updates are chosen among: what waits, and how stale that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.cli.show.output import console, print_table
from headwater.cli.show.tables import Column

if TYPE_CHECKING:
    from headwater.serve.reports.status import Status
    from headwater.serve.reports.tables import StaleKey

__all__ = ["print_chosen_tables", "share_text"]

COLUMNS = (
    Column("update stream"), Column("policy", rank=2), Column("keys", True), Column("waiting", True),
    Column("superseded", True, 1), Column("mean staleness", True), Column("99 % of keys", True, 3),
    Column("time it got", True, 4, unless_zero=True),
)  # fmt: skip
SHOWN = 3


def print_chosen_tables(current: Status) -> None:
    if not current.tables:
        return
    print_table(
        "",
        COLUMNS,
        [
            (
                table.name,
                f"{table.policy}, {table.windows} windows" if table.windows else table.policy,
                f"{table.keys:,}",
                f"{table.waiting:,}",
                f"{table.superseded:,}",
                f"{table.staleness.mean_s:,.1f} s",
                f"{table.staleness.p99_s:,.1f} s",
                share_text(table.share, table.weight),
            )
            for table in current.tables
        ],
    )
    for table in current.tables:
        if table.choosing:
            worst = ", ".join(map(_stale_key, table.staleness.worst[:SHOWN]))
            text = f"{table.name} is choosing: {table.why}" + (f". Stalest: {worst}" if worst else "")
            console().print(text, style="yellow", markup=False)


def share_text(share: float | None, weight: float) -> str:
    """Of the time that those who choose divided in the last push, and with which weight."""
    return "" if share is None else f"{share:.0%}, weight {weight:g}"


def _stale_key(stale: StaleKey) -> str:
    key = " ".join(str(part) for part in stale.key.values())
    return f"{key} ({stale.staleness_s:,.1f} s)"
