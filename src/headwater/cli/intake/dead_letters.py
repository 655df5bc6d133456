"""`headwater dead-letters`: the records that were rejected; tried again, or given up."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_to_write
from headwater.cli.show.output import console, print_json, print_table
from headwater.clock import instant_text
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.capture.dead_letters import DeadLetter

__all__ = ["dead_letters"]

SHOWN = 500  # characters of a record


def dead_letters(
    folder: ProjectFolder,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="One table; default: all of them.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Append them again, after a mend.")] = False,
    discard: Annotated[bool, typer.Option("--discard", help="Remove them for good.")] = False,
    limit: Annotated[int, typer.Option(help="How many to print; --json gives all.", min=1)] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the records that were rejected, with the reason and the record as it came.

    With `--retry`, after the declaration, another table or a file has been mended, they are appended again:
    what fits is stored, the rest stays, and the exit status is 1. A table captured from PostgreSQL is
    compared with the server by the next run instead. Dead letters go by themselves after
    `retention.dead_letters` (30 days).

    Examples: `headwater dead-letters shop orders`, `headwater dead-letters shop orders --retry`
    """
    if retry and discard:
        raise InputError("HW003", "--retry and --discard exclude each other", hint="Give one of them.")
    project = open_to_write(folder, last_good=not retry)
    if retry:
        _retry(project, table, as_json)
    elif discard:
        removed = project.discard_dead_letters(table)
        print_json({"discarded": removed}) if as_json else console().print(f"{removed:,} discarded")
    elif as_json:
        letters = project.dead_letters(table)
        shown = [asdict(letter) | {"time": instant_text(letter.time)} for letter in letters]
        print_json({"rejected": _rows(letters), "letters": shown})
    else:
        _print(project.dead_letters(table), limit)


def _rows(letters: list[DeadLetter]) -> int:
    return sum(letter.count for letter in letters)


def _retry(project: Headwater, table: str | None, as_json: bool) -> None:
    results = project.retry_dead_letters(table)
    if as_json:
        print_json({"retried": [asdict(result) for result in results]})
    for result in results if not as_json else ():
        if result.next_run:
            console().print(f"{result.table}: the next run compares it with PostgreSQL")
        else:
            console().print(
                f"{result.table}: {result.accepted:,} accepted, {result.rejected:,} rejected again"
            )
    if not results and not as_json:
        console().print("there are no dead letters")
    if any(result.rejected for result in results):
        raise typer.Exit(1)


def _print(letters: list[DeadLetter], limit: int) -> None:
    if not letters:
        console().print("there are no dead letters")
        return
    if len(letters) > limit:
        _print_reasons(letters, limit)
    for letter in letters[-limit:]:
        origin = ", ".join((letter.table, *_origin(letter)))
        console().print(f"{instant_text(letter.time)[:19]} {origin}: {letter.reason}", markup=False)
        if letter.record:
            console().print(f"  {letter.record[:SHOWN]}", markup=False)


def _print_reasons(letters: list[DeadLetter], limit: int) -> None:
    rows: Counter[tuple[str, str]] = Counter()
    for letter in letters:
        rows[letter.table, letter.reason] += letter.count
    print_table(
        f"{_rows(letters):,} rejected, by reason; the newest {limit} below",
        ("table", "rejected", "reason"),
        [(table, f"{count:,}", reason) for (table, reason), count in rows.most_common(limit)],
        right=("rejected",),
    )


def _origin(letter: DeadLetter) -> tuple[str, ...]:
    line = f"line {letter.line}" if letter.line else ""
    return tuple(part for part in (letter.file or "", line) if part)
