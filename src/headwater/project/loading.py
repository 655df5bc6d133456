"""From a folder with headwater.yml and *.sql files to a Project: read, resolved, in dependency order.

Nothing is written and nothing but these files is read.  SQL files are read in the order of their names; the
folder's own files only, so that a folder of changes or an old version may lie beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from headwater.errors import InputError, Place, did_you_mean
from headwater.model import Expectation, Project, Table
from headwater.project.settings import Settings, read_settings
from headwater.sql.ddl import Statements, parse_statements
from headwater.sql.names import spelling
from headwater.sql.resolve import resolve

__all__ = ["SETTINGS_FILE", "load", "read_text"]

SETTINGS_FILE = "headwater.yml"


def load(folder: Path | str, also: Sequence[Path] = ()) -> Project:
    """The project in a folder; raises an InputError that says what is wrong, where, and what to do.

    With `also`, the project as it would be with these SQL files in its folder.
    """
    folder = Path(folder)
    settings = read_settings(_settings_text(folder), str(folder / SETTINGS_FILE), folder.absolute())
    found = Statements()
    for path in (*_sql_files(folder), *also):
        found += parse_statements(read_text(path), str(path), settings.freshness)
    if not found.tables:
        message = f'the project "{settings.name}" declares no table'
        raise InputError("HW209", message, hint="write a CREATE TABLE into a .sql file of the folder")
    return _project(folder, settings, resolve(found, settings.sites))


def _project(folder: Path, settings: Settings, found: Statements) -> Project:
    return Project(
        name=settings.name,
        folder=str(folder.absolute()),
        storage=settings.storage,
        tables=_expected({table.name: table for table in found.tables}, settings.expect),
        views={view.name: view for view in found.views},
        queries={query.name: query for query in found.queries},
        sites=settings.sites,
        prices=settings.prices,
        spark_master=settings.spark_master,
        spark_config=settings.spark_config,
        store=settings.store,
        explained=found.explained,
    )


def _expected(tables: dict[str, Table], expect: Mapping[str, tuple[Expectation, Place]]) -> dict[str, Table]:
    """What headwater.yml expects counts before what the DDL expects: it knows this deployment."""
    for written, (expectation, place) in expect.items():
        name = spelling(written, tables)
        if name is None:
            hint = did_you_mean(written, tables)
            raise InputError("HW210", f'there is no table "{written}" to expect', place=place, hint=hint)
        before = tables[name].expect
        rows = before.rows if expectation.rows is None else expectation.rows
        rate = before.rate_per_second if expectation.rate_per_second is None else expectation.rate_per_second
        values = tuple({**dict(before.values), **_spelled(tables[name], expectation, place)}.items())
        tables[name] = replace(tables[name], expect=Expectation(rows, rate, values))
    return tables


def _spelled(table: Table, expectation: Expectation, place: Place) -> dict[str, int]:
    """The expected numbers of values by the table's own names of its columns."""
    columns = [one.name for one in table.columns]
    found: dict[str, int] = {}
    for written, count in expectation.values:
        name = spelling(written, columns)
        if name is None:
            message = f'the table "{table.name}" has no column "{written}"'
            raise InputError("HW210", message, place=place, hint=did_you_mean(written, columns))
        found[name] = count
    return found


def _settings_text(folder: Path) -> str:
    if not folder.exists():
        hint = f"headwater init {folder} makes a starter project there"
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


def _sql_files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.glob("*.sql") if path.is_file() and not path.name.startswith("."))
    if not files:
        hint = "write a CREATE TABLE into a file such as tables.sql"
        raise InputError("HW209", f"{folder} has no .sql file", hint=hint)
    return files


def read_text(path: Path) -> str:
    """A file's text, with its line ends as they are."""
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
