"""`headwater query`: the answer of a declared query, from the store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.opening import open_last_good
from headwater.cli.show.output import console, print_json, print_table
from headwater.clock import instant_of, instant_text
from headwater.errors import InputError
from headwater.serve.asking import duration
from headwater.serve.store.query_json import answer_json, query_json

if TYPE_CHECKING:
    from headwater.serve.store.answering import DeclaredQuery, QueryAnswer

__all__ = ["query"]


def query(
    folder: ProjectFolder,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A declared query; without it, all are listed.")
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE...]", help="Its parameters; a list by repeating one."),
    ] = None,
    max_staleness: Annotated[
        str | None, typer.Option(help="Refuse if the answer is staler than this: 5s, 2m.", metavar="D")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a query that the project declares with CREATE QUERY, in the work that `check` promised.

    It is answered from the store that `headwater run` keeps: without Spark, in milliseconds, as of the
    store's time. Never waits. Values are read as the type of the column they meet; `ids=1 ids=2` is a list,
    `k:=null` is NULL (`:=` takes JSON). An unbounded query is refused with the reason and the advice of
    `check`, unless it is declared ALLOW UNBOUNDED WITHIN INTERVAL ...

    Examples: `headwater query shop recent_orders customer_id=7`, `headwater query shop` (lists them),
    `headwater query shop order_detail order_id=42 --json --max-staleness 5s`
    """
    allowed = None if max_staleness is None else duration(max_staleness, "--max-staleness")
    project = open_last_good(folder)
    if name is None:
        _list(project.queries.values(), as_json)
        return
    answer = project.query(name, max_staleness=allowed, **_values(values or []))
    if as_json:
        print_json(answer_json(name, answer))
    else:
        _print(answer)


def _values(words: list[str]) -> dict[str, Any]:
    """key=text and key:=json; a key that is repeated has a list."""
    given: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key.rstrip(":"):
            raise InputError(
                "HW440",
                f'"{word}" is no parameter',
                hint="Write key=value; for NULL, key:=null; for a list, key=1 key=2.",
            )
        value = _json(key, text) if key.endswith(":") else text
        key = key.removesuffix(":")
        if key in given:
            before = given[key]
            value = [*before, value] if isinstance(before, list) else [before, value]
        given[key] = value
    return given


def _json(key: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        message = f'the value of "{key}=" is not JSON: {text}'
        raise InputError("HW440", message, hint="Write null, true, a number, or a text in quotes.") from error


def _print(answer: QueryAnswer) -> None:
    columns = list(answer.rows[0]) if answer.rows else []
    rows = [["NULL" if cell is None else cell for cell in row.values()] for row in answer.rows]
    if columns:
        print_table("", columns, rows)
    work = (
        f"{answer.operations} of at most {answer.bound} operations ({answer.level})"
        if answer.bound is not None
        else f"{answer.level}: answered by a scan within its time limit"
    )
    at = instant_text(instant_of(answer.time))
    plural = "row" if len(answer.rows) == 1 else "rows"
    console().print(f"{len(answer.rows)} {plural}, {work}, as of {at}, {answer.staleness_s:.1f} s ago")


def _list(queries: Any, as_json: bool) -> None:
    listed: list[DeclaredQuery] = list(queries)
    if as_json:
        print_json({"queries": [query_json(query) for query in listed]})
        return
    if not listed:
        console().print("The project declares no query yet: CREATE QUERY name AS SELECT ... WHERE id = :id")
        return
    print_table(
        "",
        ("query", "parameters", "level", "operations"),
        [
            (
                query.name,
                ", ".join(_parameter(*parameter) for parameter in query.parameters),
                query.level + (" (allowed)" if query.bound is None and query.within else ""),
                "" if query.bound is None else query.bound,
            )
            for query in listed
        ],
        right=("operations",),
    )


def _parameter(name: str, kind: str, is_list: bool) -> str:
    return f"{name} {kind.upper() or 'ANY'}{'[]' if is_list else ''}"
