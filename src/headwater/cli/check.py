"""`headwater check`: which queries stay bounded as the data grows, and what makes them so."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.arguments import JsonOption
from headwater.cli.output import console, print_json, print_table, to_json
from headwater.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from headwater.scale.answer import Answer, Level
    from headwater.scale.sources import Inputs, NamedTree

__all__ = ["check"]

PathArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH...", help="A project's folder, or SQL files with CREATE TABLE and queries."),
]


def check(
    paths: PathArgument,
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
    from headwater.scale.check import check as check_inputs
    from headwater.scale.check import fails
    from headwater.scale.subjects import Options

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it passes over is not news for a user
    limit = _level(fail_on)
    inputs = _inputs(paths, dialect)
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
    from headwater.scale.answer import Level

    known = {level.value.lower(): level for level in Level if level is not Level.NOT_ANALYSED}
    if name.lower() not in known:
        hint = did_you_mean(name, known) or f"use one of {', '.join(one.value for one in known.values())}"
        raise InputError("HW404", f'--fail-on: there is no level "{name}"', hint=hint)
    return known[name.lower()]


def _inputs(paths: list[Path], dialect: str) -> Inputs:
    from headwater.scale.sources import Inputs, read_sql

    whole = Inputs()
    for path in paths:
        if path.is_dir() and (path / "headwater.yml").exists():
            found = _project(path)
            _merge(whole, found, path)
            continue
        files = sorted(path.glob("*.sql")) if path.is_dir() else [path]
        if path.is_dir() and not files:
            raise InputError("HW400", f"{path} holds no headwater.yml and no *.sql file")
        for file in files:
            _merge(whole, read_sql(_text(file), str(file), dialect), file)
    if not whole.queries:
        raise InputError(
            "HW405",
            "there is no query to check",
            hint="write CREATE QUERY name AS SELECT ..., or a SELECT under a comment -- name: x",
        )
    return whole


def _project(folder: Path) -> Inputs:
    from headwater.project import load
    from headwater.scale.sources import Inputs, named_trees

    project = load(folder)
    queries = list(named_trees(project.queries.values()))
    return Inputs(dict(project.tables), list(project.views.values()), {}, queries)


def _merge(whole: Inputs, found: Inputs, path: Path) -> None:
    """Tables are declared once over all files; so are queries that share a name."""
    taken = {name.lower() for name in whole.tables}
    for name in found.tables:
        if name.lower() in taken:
            raise InputError(
                "HW406", f'the table "{name}" is declared twice', detail=f"The second time in {path}."
            )
    names = {one.name for one in whole.queries}
    for one in found.queries:
        if one.name in names and not one.name.startswith("line_"):
            raise InputError("HW406", f'two queries are called "{one.name}"', place=one.place)
        names.add(one.name)
    whole.tables |= found.tables
    whole.views += found.views
    whole.plain_views |= found.plain_views
    whole.queries += found.queries


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError("HW400", f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("HW400", f"{path} cannot be read", detail=str(error)) from error


def _named(inputs: Inputs, name: str) -> NamedTree:
    found = [one for one in inputs.queries if one.name.lower() == name.lower()]
    if not found:
        hint = did_you_mean(name, [one.name for one in inputs.queries])
        raise InputError("HW407", f'there is no query "{name}"', hint=hint)
    return found[0]


def _write_sarif(answers: list[Answer], path: Path) -> None:
    import headwater
    from headwater.scale.sarif import sarif

    try:
        path.write_text(to_json(sarif(answers, headwater.__version__)) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError("HW408", f"{path} cannot be written", detail=str(error)) from error


def _print_json(answers: list[Answer]) -> None:
    from headwater.scale.report import report_fields

    print_json(report_fields(answers))


def _print_explained(answers: list[Answer]) -> None:
    from headwater.scale.explain import explain

    for answer in answers:
        print(explain(answer))


def _print(answers: list[Answer]) -> None:
    from headwater.scale.report import needs_text

    rows = [(one.name, one.level.value, one.operations, one.results, needs_text(one)) for one in answers]
    print_table(
        "", ("query", "level", "operations", "results", "needs"), rows, right=("operations", "results")
    )
    out = console()
    for one in answers:
        if not (one.reasons or one.advice or one.assumes or one.parameters):
            continue
        out.print(f"\n{one.name}: {one.level.value}", markup=False)
        place = next((reason.place for reason in one.reasons if reason.place is not None), None)
        if place is not None:
            out.print(f"  at {place}\n{place.excerpt()}", markup=False)
        for reason in one.reasons:
            word = "" if reason.text.startswith("not analysed") else "because "
            out.print(f"  {word}{reason.text}", markup=False)
        for advice in one.advice:
            out.print(f"  advice: {advice.text} (reaches {advice.level.value})", markup=False)
        for text in one.assumes:
            out.print(f"  assumes: {text}", markup=False)
        for name, most in one.parameters:
            out.print(
                f"  assumes: :{name} is at most {most} (declare it: -- param: {name} <= n)", markup=False
            )
