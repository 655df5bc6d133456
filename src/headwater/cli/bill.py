"""`headwater bill`: what views cost, and who pays."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.durations import duration
from headwater.cli.instants import instant
from headwater.cli.output import console, print_json, print_table
from headwater.clock import instant_text, micros
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.serve.bill import Account
    from headwater.sharing.billing import Bill, Costs

__all__ = ["By", "bill", "period", "writable_picture"]


class By(Enum):
    VIEW = "view"
    OWNER = "owner"
    SITE = "site"


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
    by: Annotated[By, typer.Option("--by", help="A line for each view, owner or site.")] = By.VIEW,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", "--plot", metavar="FILE", help="Draw it; .svg, .png or .pdf."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """What each view, owner or site cost over a period: resources, penalties, violations.

    A push that serves several views is split evenly among them. Spark is not started.

    Examples: `headwater bill shop`, `headwater bill shop --last 1h --by owner`,
    `headwater bill shop --since 2026-01-01 --until 2026-02-01 --json`, `headwater bill shop --svg bill.svg`
    """
    import headwater

    project = headwater.open(str(folder))
    start, end = period(project.clock.now(), since, until, last)
    account = project.account(start, end)
    found = account.bill()
    if svg is not None:
        _draw(svg, project.project.name, account, found, by)
    if as_json:
        print_json(_answer(project.project.name, found, by))
    else:
        _print(project.project.name, found, by)


def period(now: int, since: str | None, until: str | None, last: str | None) -> tuple[int | None, int]:
    """The period that --since, --until and --last ask for; None: from the beginning."""
    end = now if until is None else instant(until, "--until")
    if last is not None:
        if since is not None:
            raise InputError("HW001", "--last and --since both say when the period starts", hint="use one")
        return end - micros(_longer_than_zero(last)), end
    start = None if since is None else instant(since, "--since")
    if start is not None and start >= end:
        raise InputError("HW001", f"--since {since} is not before {until or 'now'}")
    return start, end


def _longer_than_zero(last: str) -> timedelta:
    length = duration(last, "--last")
    if length <= timedelta():
        raise InputError("HW001", "--last must be longer than zero")
    return length


def writable_picture(path: Path) -> Path:
    """A path whose ending says which kind of picture; a clear error if it cannot be written."""
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise InputError("HW864", f"cannot draw {path}", hint="end its name in .svg, .png or .pdf")
    if not path.absolute().parent.is_dir():
        raise InputError("HW864", f"cannot write {path}: there is no folder {path.parent}")
    return path


def _draw(path: Path, name: str, account: Account, found: Bill, by: By) -> None:
    from headwater.serve.bill_picture import draw_bill

    title = f"{name}: {found.total.dollars:.4f} $ in {_hours(found):.2f} hours"
    draw_bill(writable_picture(path), title, found, account.over_time(), by.value)


def _hours(found: Bill) -> float:
    return (found.until - found.since) / 3.6e9


# JSON


def _answer(name: str, found: Bill, by: By) -> dict[str, Any]:
    from headwater.sharing.billing import NOT_INCLUDED, grouped

    owners = {line.view: line.owner for line in found.lines}
    return {
        "project": name,
        "since": instant_text(found.since),
        "until": instant_text(found.until),
        "by": by.value,
        "lines": [
            {by.value: key, **({"owner": owners[key]} if by is By.VIEW else {}), **_fields(costs)}
            for key, costs in grouped(found, by.value).items()
        ],
        "total": _fields(found.total),
        "not_included": NOT_INCLUDED,
    }


def _fields(costs: Costs) -> dict[str, Any]:
    return {
        "dollars": costs.dollars,
        "resource_dollars": costs.resources,
        "cpu_dollars": costs.cpu,
        "network_dollars": costs.network,
        "storage_dollars": costs.storage,
        "penalty_dollars": costs.penalty,
        "cpu_seconds": costs.cpu_seconds,
        "gb_copied": costs.gb_copied,
        "gb_months": costs.gb_months,
        "rows_moved": costs.rows_moved,
        "late_rows": costs.late_rows,
        "violations": costs.violations,
        "view_hours": costs.view_hours,
        "violations_per_view_hour": _ratio(costs.violations, costs.view_hours),
        "dollars_per_view_hour": _ratio(costs.dollars, costs.view_hours),
    }


def _ratio(number: float, hours: float) -> float | None:
    return number / hours if hours else None


# Text

NUMBERS = (
    "CPU $", "network $", "storage $", "penalties $", "total $", "rows moved", "late rows", "violations",
    "view-hours",
)  # fmt: skip


def _print(name: str, found: Bill, by: By) -> None:
    from headwater.sharing.billing import NOT_INCLUDED, grouped

    out = console()
    out.print(f"{name}: {instant_text(found.since)[:19]} to {instant_text(found.until)[:19]} UTC")
    if not found.lines:
        out.print("Nothing was pushed, kept or stored in this period.")
        return
    owners = {line.view: line.owner for line in found.lines}
    extra = ("owner",) if by is By.VIEW else ()
    rows: list[tuple[object, ...]] = [
        (key or "-", *((owners[key] or "-",) if extra else ()), *_cells(costs))
        for key, costs in grouped(found, by.value).items()
    ]
    total = found.total
    print_table(
        "", (by.value, *extra, *NUMBERS), [*rows, ("total", *("" for _ in extra), *_cells(total))], NUMBERS
    )
    if total.view_hours:
        out.print(
            f"{total.dollars / total.view_hours:.6f} $ and {total.violations / total.view_hours:.2f}"
            f" violations per view-hour; {total.cpu_seconds:,.1f} CPU-seconds, {total.gb_copied:.6f} GB"
            f" copied, {total.gb_months:.6f} GB-months stored."
        )
    out.print(NOT_INCLUDED)


def _cells(costs: Costs) -> tuple[str, ...]:
    return (
        *(f"{one:.6f}" for one in (costs.cpu, costs.network, costs.storage, costs.penalty, costs.dollars)),
        f"{costs.rows_moved:,.0f}",
        f"{costs.late_rows:,}",
        f"{costs.violations:,}",
        f"{costs.view_hours:.2f}",
    )
