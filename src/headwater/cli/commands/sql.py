"""`headwater sql`: ask anything of the views and sources, at once."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_last_good
from headwater.cli.input.prompt import at_a_terminal, piped, statements
from headwater.cli.show.output import console, print_json, print_table
from headwater.cli.show.rejected import sources_of, warn_of_rejected
from headwater.clock import instant_text
from headwater.errors import HeadwaterError, InputError

if TYPE_CHECKING:
    from headwater.serve.ad_hoc.answer import Answer

__all__ = ["sql"]


def sql(
    folder: ProjectFolder,
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="SELECT", help="The query, in quotes; - reads standard input. Without it, a prompt."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(help="Rows to print as a table; --json and --csv give all.", min=0)
    ] = 50,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Answer a SELECT over views and sources, all as of one time. Needs no Spark and changes nothing.

    What is piped in is answered statement by statement, up to the first that is wrong.

    Examples: `headwater sql shop "SELECT status, count(*) FROM orders GROUP BY status"`,
    `headwater sql shop --csv < report.sql`
    """
    if as_csv and as_json:
        raise InputError("HW001", "--csv and --json exclude each other", hint="Choose one.")
    project = open_last_good(folder)
    if query == "-" or (query is None and not at_a_terminal()):
        queries = piped(sys.stdin.read())
    else:
        queries = [] if query is None else [query]
    for text in queries:
        answer = project.sql(text)
        _print(answer, limit, as_csv, as_json)
        warn_of_rejected(project, sources_of(project, answer.times))
    if queries:
        return
    relations = {name: list(columns) for name, columns in project.catalog.types().items()}
    for statement in statements(f"{project.project.name}> ", relations):
        try:
            _print(project.sql(statement), limit, as_csv, as_json)
        except HeadwaterError as error:
            console().print(str(error), markup=False)


def _print(answer: Answer, limit: int, as_csv: bool, as_json: bool) -> None:
    if as_json:
        times = {name: instant_text(time) for name, time in answer.times.items()}
        time = None if answer.time is None else instant_text(answer.time)
        print_json({"time": time, "times": times, "rows": answer.to_pylist()})
    elif as_csv:
        _print_csv(answer)
    else:
        _print_table(answer, limit)


def _print_csv(answer: Answer) -> None:
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(answer.table.column_names)
    for batch in answer.table.to_batches(max_chunksize=10_000):
        lines.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _print_table(answer: Answer, limit: int) -> None:
    shown = answer.table.slice(0, min(limit, len(answer)))
    rows = zip(*(column.to_pylist() for column in shown.columns), strict=True)
    print_table(
        _title(answer),
        answer.table.column_names,
        [tuple("NULL" if cell is None else cell for cell in row) for row in rows],
    )
    if len(answer) > limit:
        console().print(f"{limit:,} of {len(answer):,} rows; --limit shows more")


def _title(answer: Answer) -> str:
    if answer.time is not None:
        return f"as of {instant_text(answer.time)}"
    return ", ".join(f"{name} as of {instant_text(time)}" for name, time in answer.times.items())
