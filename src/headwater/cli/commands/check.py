"""`headwater check`: which queries stay bounded as the data grows, and what makes them so."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.input.files import read_text, write_text
from headwater.cli.show.output import console, print_json, print_table, to_json
from headwater.errors import InputError, did_you_mean
from headwater.errors.shared import declared_twice

if TYPE_CHECKING:
    from headwater.bounds.answers.answer import Answer, Level
    from headwater.bounds.reading.sources import Inputs, NamedTree

__all__ = ["check"]

PathArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[PATH...]",
        help="Projects' folders, or SQL files with CREATE TABLE and queries; default: the current folder.",
    ),
]


def check(
    paths: PathArgument = None,
    as_json: JsonOption = False,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on", metavar="LEVEL", help="Exit status 1 at this level or worse: SI-1 ... unbounded."
        ),
    ] = "unbounded",
    explain: Annotated[
        str, typer.Option("--explain", metavar="NAME", help="Show one query's plan, view, deltas and proofs.")
    ] = "",
    sarif: Annotated[
        Path | None,
        typer.Option("--sarif", metavar="FILE", help="Also write the findings for code review tools."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Rely on declared constraints only; assume no references.")
    ] = False,
    dialect: Annotated[
        str,
        typer.Option("--dialect", metavar="NAME", help="The SQL of the files, such as postgres or mysql."),
    ] = "",
    limit_max: Annotated[
        int, typer.Option("--limit-max", min=1, help="Assumed maximum of LIMIT :n without a declared one.")
    ] = 1000,
) -> None:
    """Prove a bound on the work of every parameterised query, or say what has none and how to get one.

    Levels: SI-0 (primary keys), SI-1 (secondary indexes), SI-2 (a view kept incrementally), SI-3 (a periodic
    parallel refresh), unbounded. Needs no Spark and no project: a file with CREATE TABLE and queries will do.

    Examples: `headwater check shop`, `headwater check a.sql b.sql --fail-on SI-3 --sarif out.sarif`,
    `headwater check queries.sql --explain upcoming`
    """
    from headwater.bounds.answers.check import check as check_inputs
    from headwater.bounds.answers.check import fails
    from headwater.bounds.reading.subjects import Options

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it skips does not concern a user
    limit = _level(fail_on)
    inputs = _inputs(paths or [Path()], dialect)
    if explain:
        inputs.queries = [_named(inputs, explain)]
    answers = list(check_inputs(inputs, Options(limit_max, strict)))
    if sarif is not None:
        _write_sarif(answers, sarif)
    if as_json:
        _print_json(answers)
    elif explain:
        _print_explained(answers)
    else:
        _print(answers)
    if fails(answers, limit):
        raise typer.Exit(1)


def _level(name: str) -> Level:
    from headwater.bounds.answers.answer import Level

    levels = {level.value.lower(): level for level in Level if level is not Level.NOT_ANALYSED}
    if name.lower() not in levels:
        choices = ", ".join(level.value for level in levels.values())
        hint = did_you_mean(name, levels) or f"use one of {choices}"
        raise InputError("HW404", f'--fail-on: there is no level "{name}"', hint=hint)
    return levels[name.lower()]


def _inputs(paths: list[Path], dialect: str) -> Inputs:
    """Files follow each other as they are named, those of a folder in the order of their numbers."""
    from headwater.bounds.reading.sources import read_files

    files: list[Path] = []
    projects: list[Path] = []
    for path in paths:
        if path.is_dir() and (path / "headwater.yml").exists():
            projects.append(path)
            continue
        found = sorted(path.glob("*.sql"), key=_numbered) if path.is_dir() else [path]
        if not found:
            raise InputError(
                "HW405",
                f"there is no query to check: {path} holds no headwater.yml and no *.sql file",
                hint="name a project's folder, or SQL files",
            )
        files += found
    whole = read_files([(str(file), read_text(file)) for file in files], dialect)
    for project in projects:
        _merge(whole, _project(project))
    _refuse_twice(whole)
    if not whole.queries:
        raise InputError(
            "HW405",
            "there is no query to check",
            hint="write CREATE QUERY name AS SELECT ..., or a SELECT under a comment -- name: x",
        )
    return whole


def _numbered(path: Path) -> list[tuple[int, str]]:
    """V2__b.sql before V10__a.sql."""
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", path.name)]


def _project(folder: Path) -> Inputs:
    """A project's tables, views and queries; a project with plain views is read here, as any SQL files."""
    from headwater.bounds.reading.sources import Inputs, declares_plain_view, named_trees, read_files
    from headwater.project import load
    from headwater.project.loading import sql_files

    texts = {str(path): read_text(path) for path in sql_files(folder)}
    if any(declares_plain_view(text, path) for path, text in texts.items()):
        return read_files(texts.items())
    project = load(folder)
    queries = list(named_trees(project.queries.values()))
    return Inputs(dict(project.tables), list(project.views.values()), {}, queries)


def _merge(whole: Inputs, part: Inputs) -> None:
    """Tables are declared once over all files and projects."""
    tables = {name.lower(): table for name, table in whole.tables.items()}
    for name, table in part.tables.items():
        if name.lower() in tables:
            raise declared_twice(name, table.place, tables[name.lower()].place)
    whole.add(part)


def _refuse_twice(whole: Inputs) -> None:
    """Queries have names of their own, but for those that are called by their lines."""
    queries: dict[str, NamedTree] = {}
    for query in whole.queries:
        if query.name in queries and not query.name.startswith("line_"):
            raise declared_twice(query.name, query.place, queries[query.name].place)
        queries[query.name] = query


def _named(inputs: Inputs, name: str) -> NamedTree:
    for query in inputs.queries:
        if query.name.lower() == name.lower():
            return query
    hint = did_you_mean(name, [query.name for query in inputs.queries])
    raise InputError("HW407", f'there is no query "{name}"', hint=hint)


def _write_sarif(answers: list[Answer], path: Path) -> None:
    import headwater
    from headwater.bounds.answers.sarif import sarif

    write_text(path, to_json(sarif(answers, headwater.__version__)) + "\n")


def _print_json(answers: list[Answer]) -> None:
    from headwater.bounds.answers.report import report_fields

    print_json(report_fields(answers))


def _print_explained(answers: list[Answer]) -> None:
    from headwater.bounds.answers.explain import explain

    for answer in answers:
        print(explain(answer))


def _print(answers: list[Answer]) -> None:
    from headwater.bounds.answers.report import needs_text

    rows = [
        (answer.name, answer.level.value, answer.operations, answer.read, answer.results, needs_text(answer))
        for answer in answers
    ]
    numbers = ("operations", "rows read", "results")
    print_table("", ("query", "level", *numbers, "needs"), rows, right=numbers)
    out = console()
    for answer in answers:
        if answer.reasons or answer.advice or answer.assumes or answer.parameters:
            for line in _notes(answer):
                out.print(line, markup=False)


def _notes(answer: Answer) -> Iterator[str]:
    """Why a query has its level, what would improve it, and what is assumed."""
    yield f"\n{answer.name}: {answer.level.value}"
    place = next((reason.place for reason in answer.reasons if reason.place is not None), None)
    if place is not None:
        yield f"  at {place}\n{place.excerpt()}"
    for reason in answer.reasons:
        word = "" if reason.text.startswith("not analysed") else "because "
        yield f"  {word}{reason.text}"
    for advice in answer.advice:
        yield f"  advice: {advice.text} (reaches {advice.level.value})"
    for text in answer.assumes:
        yield f"  assumes: {text}"
    for name, most in answer.parameters:
        yield f"  assumes: :{name} is at most {most} (declare it: -- param: {name} <= n)"
