"""`headwater verify`: recomputes views as of their time and compares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder, QuietOption
from headwater.cli.input.opening import open_to_write
from headwater.cli.show.output import console, print_json, progress_console
from headwater.cli.show.rejected import rejected_of, warn_of_rejected
from headwater.cli.show.verified_store import verify_the_store
from headwater.cli.stopping import end_on_signals
from headwater.clock import instant_text
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.engine.upkeep.verify import Verified
    from headwater.engine.upkeep.verify_shown import VerifiedTable

__all__ = ["verify"]


def verify(
    folder: ProjectFolder,
    view: Annotated[
        str | None, typer.Argument(metavar="VIEW", help="One view; default: all of them.")
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Compare the store of queries instead; needs no Spark.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="With --store: load what differs anew; no run may be alive.")
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Recompute views from their SQL over the sources as of the view's time, on Spark, and compare.

    Where a table's updates are chosen among (ON OVERLOAD UPDATES), a view is compared with its SQL over what
    is shown, and what is shown with the source: nothing is lost, and every row shown was current.

    Exit status 1 if anything differs. Works beside a run. A view is compared with what its sources hold: rows
    of theirs that were rejected are named beside it.

    With `--store`: the tables, indexes and views that the store keeps for queries, as of the store's time.

    Examples: `headwater verify shop big_orders`, `headwater verify shop --store --repair`
    """
    if repair and not store:
        raise InputError("HW003", "--repair needs --store", hint="A view is computed anew by a run.")
    if store and view is not None:
        raise InputError("HW003", "--store compares the whole store, not a view", hint="Leave the view out.")
    if store:
        verify_the_store(folder, repair, quiet, as_json)
        return
    from headwater.engine.spark.java import check_java
    from headwater.engine.spark.jvm import Lifetime, expect, lifetime_of_work
    from headwater.engine.upkeep.verify_on_request import verified_json

    end_on_signals()
    project = open_to_write(folder, last_good=True)
    check_java(project.project.masters().values())
    lifetime = lifetime_of_work(map(project.warehouse.source, project.project.tables))
    expect(lifetime)
    names = [_named(project, view)] if view is not None else list(project.catalog.kept)
    results: list[Verified] = []
    with progress_console().status("starting Spark ...") as progress:
        together = lifetime is Lifetime.SHORT  # few rows: one action for many views
        for group in [names] if together else [[name] for name in names]:
            progress.update(f"verifying {', '.join(group)} ...")
            results += project.verify(group)
        progress.update("verifying what is shown of update streams ...")
        tables = project.verify_tables(names)
    if as_json:
        print_json(
            {
                "views": [
                    verified_json(result)
                    | {
                        "rejected": {
                            table: source.rows for table, source in rejected_of(project, result.view).items()
                        },
                    }
                    for result in results
                ],
                "tables": [
                    {
                        "name": table.table,
                        "equal": table.equal,
                        "time": instant_text(table.time),
                        "waiting": table.waiting,
                        "differing_rows": table.differing_rows,
                        "not_current": table.not_current,
                        "unchecked": table.unchecked,
                    }
                    for table in tables
                ],
            }
        )
    else:
        _print(project, [result for result in results if not (quiet and _says_nothing(result))])
        _print_tables([table for table in tables if not (quiet and table.equal)])
    warn_of_rejected(project, {table for name in names for table in project.catalog.sources(name)})
    if not (all(result.equal for result in results) and all(table.equal for table in tables)):
        raise typer.Exit(1)


def _named(project: Headwater, view: str) -> str:
    hint = "Views are compared with what tables hold. Name a view; without a name all are verified."
    return project.catalog.view(view, hint).name


def _says_nothing(result: Verified) -> bool:
    return result.equal and not result.not_compared


def _print_tables(tables: Sequence[VerifiedTable]) -> None:
    out = console()
    for table in tables:
        verdict = "shown and waiting make up the source"
        if not table.equal:
            verdict = (
                f"DIFFERENT: {table.differing_rows:,} rows lost or doubled, {table.not_current:,} not current"
            )
        unchecked = f", {table.unchecked:,} without history" if table.unchecked else ""
        out.print(f"{table.table}: {verdict} ({table.waiting:,} keys wait{unchecked})")


def _print(project: Headwater, results: list[Verified]) -> None:
    out = console()
    for result in results:
        out.print(f"{result.view}: {_verdict(result)} ({result.rows} rows as of {instant_text(result.time)})")
        for source in rejected_of(project, result.view).values():
            out.print(f"  without {source.rows:,} rejected rows of {source.table}", style="yellow")
        for row, count in result.missing[:5]:
            out.print(f"  missing {count} x {row}")
        for row, count in result.extra[:5]:
            out.print(f"  extra   {count} x {row}")


def _verdict(result: Verified) -> str:
    if result.not_compared:
        return f"not compared: {result.not_compared}"
    if result.equal:
        return "equal"
    return f"DIFFERENT: {result.missing_rows:,} rows missing, {result.extra_rows:,} extra"
