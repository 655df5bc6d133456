"""`headwater bill`: what views cost, and who pays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.files import writable_picture
from headwater.cli.input.opening import open_last_good
from headwater.cli.show.output import console, print_json, print_table
from headwater.cli.show.rejected import warn_of_rejected
from headwater.cli.show.tables import Column
from headwater.clock import moment_text
from headwater.serve.asking import period
from headwater.serve.reports.bill_json import By, bill_json, bill_lines
from headwater.units import HOUR, counted, dollar_text, number_text

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.planning.cost.billing import Bill, Costs
    from headwater.serve.reports.bill import Account

__all__ = ["bill"]


def bill(
    folder: ProjectFolder,
    since: Annotated[
        str | None, typer.Option("--since", metavar="T", help="From this instant: 2026-01-31T12:00 (UTC).")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="T", help="Up to this instant; default: now.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--last", metavar="D", help="The last hour, day, ...: 1h, 7d.")
    ] = None,
    by: Annotated[
        By, typer.Option("--by", help="A line for each view, owner or site, or for each process of the runs.")
    ] = By.VIEW,
    spread: Annotated[
        bool, typer.Option("--spread", help="Let the lines pay what belongs to none, by the CPU they used.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", "--plot", metavar="FILE", help="Draw it; .svg, .png or .pdf."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each view, owner or site cost over a period: resources, penalties, violations.

    A push that serves several views is split evenly among them. What the processes of runs used besides (the
    JVM's own work, capture, compaction) is a line of its own, so that the total is what the machine did;
    --by process splits it by process, --spread among the lines. Spark is not started.

    Examples: `headwater bill shop`, `headwater bill shop --last 1h --by owner --spread`,
    `headwater bill shop --since 2026-01-01 --until 2026-02-01 --json`, `headwater bill shop --svg bill.svg`
    """
    project = open_last_good(folder)
    start, end = period(project.clock.now(), since, until, last)
    picture = None if svg is None else writable_picture(svg)
    account = project.account(start, end)
    billed = account.bill().spread() if spread else account.bill()
    if picture is not None:
        _draw(picture, project.project.name, account, billed, By.VIEW if by is By.PROCESS else by)
    if as_json:
        print_json(bill_json(project.project.name, billed, by))
    else:
        _print(project.project.name, billed, by)
    warn_of_rejected(project)


def _draw(path: Path, name: str, account: Account, billed: Bill, by: By) -> None:
    from headwater.serve.reports.bill_picture import draw_bill

    hours = (billed.until - billed.since) / HOUR
    title = f"{name}: {billed.total.dollars:.4f} $ in {hours:.2f} hours"
    draw_bill(path, title, billed, account.over_time(), by.value)


# Text

NUMBERS = (
    Column("CPU s", True, 1), Column("CPU $", True, 2), Column("network $", True, 3, unless_zero=True),
    Column("storage $", True, 3, unless_zero=True), Column("penalties $", True, 3, unless_zero=True),
    Column("total $", True), Column("rows moved", True, 4), Column("late rows", True, 3, unless_zero=True),
    Column("violations", True, 3, unless_zero=True),
)  # fmt: skip


def _print(name: str, billed: Bill, by: By) -> None:
    from headwater.planning.cost.billing import UNATTRIBUTED

    out = console()
    out.print(f"{name}: {moment_text(billed.since)} to {moment_text(billed.until)} UTC")
    if not billed.lines and not billed.processes:
        out.print("Nothing was pushed, computed or stored in this period.")
        return
    owners = {line.view: line.owner for line in billed.lines}
    owner = [Column("owner", unless_zero=True)] if by is By.VIEW else []
    lines = bill_lines(billed, by)
    total = billed.whole
    if by is By.PROCESS:
        total = sum(lines.values(), start=type(total)())
    elif billed.unattributed.cpu_seconds:
        lines |= {UNATTRIBUTED: billed.unattributed}
    rows: list[tuple[object, ...]] = [
        (key or "-", *(owners.get(key, "") for _ in owner), *_cells(costs)) for key, costs in lines.items()
    ]
    print_table(
        "",
        (Column(by.value), *owner, *NUMBERS),
        [*rows, ("total", *("" for _ in owner), *_cells(total))],
    )
    _print_notes(out, billed)


def _print_notes(out: Console, billed: Bill) -> None:
    total = billed.total
    out.print(
        f"{_broken(total)}; {_gigabytes(total.gb_copied)} GB copied, "
        f"{_gigabytes(total.gb_months)} GB-months stored."
    )
    if billed.processes:
        used = sum(billed.processes.values())
        out.print(
            f"The runs' processes used {used:,.1f} CPU-seconds, pushes {total.cpu_seconds:,.1f} of them."
            if billed.unattributed.cpu_seconds
            else f"The runs' processes used {used:,.1f} CPU-seconds."
        )
    out.print(billed.not_included)


def _broken(total: Costs) -> str:
    """Which promises were broken: a view may be late between two looks of the audit, or without a run."""
    violations = counted(total.violations, "violation") if total.violations else "no violation seen"
    if not total.late_rows:
        return violations if total.violations else "no violation"
    late = counted(total.late_rows, "row")
    return f"{late} came late, {violations}"


def _gigabytes(amount: float) -> str:
    return number_text(round(amount, 6))


def _cells(costs: Costs) -> tuple[str, ...]:
    return (
        f"{costs.cpu_seconds:,.1f}",
        *(
            dollar_text(dollars, 6)
            for dollars in (costs.cpu, costs.network, costs.storage, costs.penalty, costs.dollars)
        ),
        f"{costs.rows_moved:,.0f}",
        f"{costs.late_rows:,}",
        f"{costs.violations:,}",
    )
