"""From a folder with headwater.yml and *.sql files to a Project: read, resolved, in dependency order.

Nothing is written, and nothing but these files is read: the secrets that they refer to are read when they
are used (secrets.py).  SQL files are read in the order of their names, not those of subfolders, so that a
folder of changes or an old version may lie beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from headwater.errors import InputError, Place, did_you_mean, shown_folder
from headwater.model import Expectation, Project, Table
from headwater.project.addresses import refuse_address
from headwater.project.secrets import absolute_secret_files
from headwater.project.settings import Settings, read_settings
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import Statements, parse_statements
from headwater.sql.parsing.names import spelling

__all__ = ["SETTINGS_FILE", "load", "load_settings", "project_of", "read_text", "sql_files"]

SETTINGS_FILE = "headwater.yml"


def load(folder: Path | str, also: Sequence[Path] = ()) -> Project:
    """The project in a folder; raises an InputError that says what is wrong, where, and what to do.

    With `also`, the project as it would be with these SQL files in its folder.
    """
    settings = load_settings(Path(folder))
    files = (*sql_files(Path(folder)), *also)
    return project_of(Path(folder), settings, ((str(path), read_text(path)) for path in files))


def load_settings(folder: Path) -> Settings:
    return read_settings(_settings_text(folder), str(folder / SETTINGS_FILE), folder.absolute())


def project_of(folder: Path, settings: Settings, files: Iterable[tuple[str, str]]) -> Project:
    """The project that SQL files, given as (path, text), declare in a folder."""
    statements = Statements()
    for path, text in files:
        statements += parse_statements(text, path, settings.freshness)
    if not statements.tables:
        message = f'the project "{settings.name}" declares no table'
        raise InputError("HW209", message, hint="write a CREATE TABLE into a .sql file of the folder")
    return _project(folder, settings, resolve(statements, settings.sites))


def _project(folder: Path, settings: Settings, statements: Statements) -> Project:
    tables = {
        table.name: replace(table, options=absolute_secret_files(table.options, folder.absolute()))
        for table in statements.tables
    }
    return Project(
        name=settings.name,
        folder=str(folder.absolute()),
        storage=settings.storage,
        tables=_expected(settings.name, tables, settings.expect),
        views={view.name: view for view in statements.views},
        queries={query.name: query for query in statements.queries},
        sites=settings.sites,
        prices=settings.prices,
        retention=settings.retention,
        overload=settings.overload,
        spark_master=settings.spark_master,
        spark_config=absolute_secret_files(settings.spark_config, folder.absolute()),
        durability=settings.durability,
        store=settings.store,
        weaving=settings.weaving,
        replans=settings.replans,
        explained=statements.explained,
    )


def _expected(
    project: str, tables: dict[str, Table], expect: Mapping[str, tuple[Expectation, Place]]
) -> dict[str, Table]:
    """Expectations of headwater.yml override those of the DDL: the file knows this deployment."""
    for written, (expectation, place) in expect.items():
        name = spelling(written, tables)
        if name is None:
            message = f'there is no table "{written}" in project "{project}"'
            detail = f"Its tables: {', '.join(tables) or 'none'}."
            raise InputError("HW211", message, place=place, detail=detail, hint=did_you_mean(written, tables))
        before = tables[name].expect
        rows = before.rows if expectation.rows is None else expectation.rows
        rate = before.rate_per_second if expectation.rate_per_second is None else expectation.rate_per_second
        values = tuple({**dict(before.values), **_spelled(tables[name], expectation, place)}.items())
        tables[name] = replace(tables[name], expect=Expectation(rows, rate, values))
    return tables


def _spelled(table: Table, expectation: Expectation, place: Place) -> dict[str, int]:
    """The expected numbers of values, by column as the table spells it."""
    columns = [column.name for column in table.columns]
    counts: dict[str, int] = {}
    for written, count in expectation.values:
        name = spelling(written, columns)
        if name is None:
            message = f'the table "{table.name}" has no column "{written}"'
            raise InputError("HW106", message, place=place, hint=did_you_mean(written, columns))
        counts[name] = count
    return counts


def _settings_text(folder: Path) -> str:
    refuse_address(str(folder), "the project")
    if not folder.exists():
        hint = f"headwater init {shown_folder(folder)} makes a starter project there"
        raise InputError("HW201", f"there is no folder {folder}", hint=hint)
    if not folder.is_dir():
        raise InputError(
            "HW202", f"{folder} is not a folder", hint="name the folder that holds headwater.yml"
        )
    if not (folder / SETTINGS_FILE).is_file():
        others = [name for name in ("headwater.yaml", "Headwater.yml") if (folder / name).exists()]
        hint = f"rename {others[0]}" if others else "headwater init DIR makes a starter project"
        raise InputError("HW203", f"{folder} has no {SETTINGS_FILE}", hint=hint)
    return read_text(folder / SETTINGS_FILE)


def sql_files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.glob("*.sql") if path.is_file() and not path.name.startswith("."))
    if not files:
        hint = "write a CREATE TABLE into a file such as tables.sql"
        raise InputError("HW209", f"{folder} has no .sql file", hint=hint)
    return files


def read_text(path: Path) -> str:
    """A file's text, with its line ends unchanged."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8-sig", "replace")
        place = Place.at(str(path), before, len(before))
        raise InputError(
            "HW204", f"{path} is not UTF-8 text", place=place, hint="save it as UTF-8"
        ) from error
    except OSError as error:
        raise InputError("HW204", f"{path} cannot be read: {error.strerror}") from error
