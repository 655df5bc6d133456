"""Answer a SELECT over views and sources: in well under a second, without Spark, changing nothing.

The text is parsed as a view's would be, so the same names and the same SQL work; sqlglot writes it in
DuckDB's dialect.  DuckDB may open the Parquet files of the relations that the query names, and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.model import SqlText
from headwater.serve.ad_hoc.common_time import Stored, times_to_read
from headwater.serve.ad_hoc.duckdb_relations import changes_as_rows, plain_rows, quoted
from headwater.serve.ad_hoc.failing import failing
from headwater.serve.frames import Frames
from headwater.serve.read import never_computed
from headwater.sql.ddl.resolve import relations_named
from headwater.sql.parsing.parser import in_dialect, parse_select
from headwater.sql.parsing.result_names import result_names
from headwater.storage.delta.data_files import BEGINNING
from headwater.storage.delta.reading import damaged_file
from headwater.storage.delta.types import arrow_schema
from headwater.storage.view_rows import VISIBLE, output_columns
from headwater.storage.warehouse import Warehouse

if TYPE_CHECKING:
    import duckdb

__all__ = ["Answer", "answer", "database_of", "relations_as_of", "rows_as_of"]


SHOWN = 8  # names of relations in a hint


@dataclass(frozen=True, slots=True)
class Answer(Frames):
    """The rows of an ad hoc query, and as of which time each relation was read (microseconds since 1970)."""

    table: pa.Table
    times: Mapping[str, int]

    @property
    def time(self) -> int | None:
        """The one time as of which everything was read; None if there are several, or nothing was read."""
        times = set(self.times.values())
        return times.pop() if len(times) == 1 else None

    def to_pylist(self) -> list[dict[str, Any]]:
        return list(self.table.to_pylist())

    def __len__(self) -> int:
        return int(self.table.num_rows)


def answer(catalog: Catalog, warehouse: Warehouse, clock: Clock, text: str) -> Answer:
    """The answer to a SELECT; InputError if it is wrong."""
    if not isinstance(text, str):  # callers of the Python API pass what they like
        raise TypeError(f"a query is a text, not {type(text).__name__}")
    sql = _select(catalog, SqlText(text.strip().rstrip("; \n")))
    times, relations = relations_as_of(catalog, warehouse, clock, sql)
    with database_of(relations, {warehouse.root, *warehouse.roots.values()}) as database:
        return Answer(_run(database, sql), times)


def _select(catalog: Catalog, text: SqlText) -> SqlText:
    relations = [*catalog.project.tables, *catalog.project.views]
    more = ", ..." if len(relations) > SHOWN else ""
    hint = f"Write one SELECT, which changes nothing, over {', '.join(relations[:SHOWN])}{more}."
    try:
        return parse_select(text)
    except InputError as error:
        if error.hint:
            raise
        raise InputError(
            error.code, error.message, place=error.place, detail=error.detail, hint=hint
        ) from error


def relations_as_of(
    catalog: Catalog, warehouse: Warehouse, clock: Clock, sql: SqlText
) -> tuple[dict[str, int], dict[str, str]]:
    """The time that each relation of a query is read as of, and its rows as a SELECT of DuckDB's."""
    project = catalog.project
    names = relations_named(sql, [*project.tables, *project.views], list(project.queries))
    stored = {name: _stored(catalog, warehouse, name) for name in names}
    times = times_to_read(stored, clock.now())
    return times, {name: rows_as_of(catalog, warehouse, name, time) for name, time in times.items()}


def _stored(catalog: Catalog, warehouse: Warehouse, name: str) -> Stored:
    if name in catalog.project.tables:
        source = warehouse.source(name)
        return Stored(source.time(), max(source.horizon(), source.gathered()), view=False)
    timeline = warehouse.stage(catalog.folder(name))
    if timeline.time() == BEGINNING:
        raise never_computed(name, catalog, warehouse)
    return Stored(timeline.time(), timeline.horizon(), view=True)


def rows_as_of(catalog: Catalog, warehouse: Warehouse, name: str, time: int) -> str:
    """A SELECT of DuckDB's for the rows of a source or a view as of a time."""
    if name in catalog.project.tables:
        source = warehouse.source(name)
        columns = source.columns() if source.exists() else arrow_schema(catalog.project.tables[name].columns)
        return changes_as_rows(source.as_of(time).files, columns)
    timeline, plain = warehouse.stage(catalog.folder(name)), warehouse.published(name)
    columns = output_columns(timeline)
    if plain.exists() and plain.description() == catalog.description(name):
        snapshot = plain.snapshot()
        if snapshot.time == time:
            return plain_rows(snapshot.files, columns)
    visible = quoted(VISIBLE) if VISIBLE in timeline.columns().names else "true"
    return changes_as_rows(timeline.as_of(time).files, columns, visible)


@contextmanager
def database_of(relations: Mapping[str, str], roots: Iterable[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB that knows these relations and may read nothing outside of `roots`."""
    import duckdb

    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.execute("SET allowed_directories = ?", [[os.path.abspath(root) for root in roots]])
        database.execute("SET enable_external_access = false")
        try:  # DuckDB looks at the files then
            for name, rows in relations.items():
                database.execute(f"CREATE VIEW {quoted(name)} AS {rows}")
        except duckdb.Error as error:
            raise damaged_file(str(error)) from error
        yield database


def _run(database: duckdb.DuckDBPyConnection, sql: SqlText) -> pa.Table:
    import duckdb

    text = in_dialect(sql, "duckdb")
    try:
        table = database.sql(text).to_arrow_table()
    except duckdb.Error as error:
        raise failing(database, sql, text, error) from error
    return table.rename_columns(result_names(sql, table.column_names))
