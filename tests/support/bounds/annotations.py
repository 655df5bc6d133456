"""The annotated SQL files of the shared data: `-- @` comments turned into constraints and expectations."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from headwater.bounds.answers.analyse import Subject
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.reading.read import read_query
from headwater.model import Cardinality, SqlText, Table
from headwater.sql.ddl.statements import parse_statements
from headwater.sql.parsing.parser import normalised_tree


@dataclass(frozen=True)
class Expected:
    name: str
    kind: str
    level: str
    sql: str
    tables: dict[str, Table]

    @property
    def subject(self) -> Subject:
        catalog = Catalog({table.name: table for table in self.tables.values()})
        sql = SqlText(self.sql, self.name)
        return Subject(self.name, read_query(normalised_tree(sql), catalog.tables, sql), catalog)


def data_folder() -> Path | None:
    root = Path(__file__).parents[3]
    places = [
        os.environ.get("HEADWATER_DATA"),
        root / ".." / "shared" / "data",
        Path("..") / "shared" / "data",
    ]
    return next((Path(file) for file in places if file and (Path(file) / "sql").is_dir()), None)


def _columns(table: Table, text: str) -> tuple[str, ...]:
    """Columns of an annotation; a `window` element promises more than columns can say and is left out."""
    wanted = [part.strip().lower() for part in text.split(",") if not part.strip().startswith("window")]
    return tuple(name for column in wanted for name in table.column_names if name.lower() == column)


def _annotated(text: str, tables: dict[str, Table]) -> dict[str, Table]:
    tables = dict(tables)
    for name, columns, limit in re.findall(r"^-- @cardinality (\w+)\(([^)]*)\) (\d+)", text, re.MULTILINE):
        table = tables[name.lower()]
        constraint = Cardinality(_columns(table, columns), int(limit))
        tables[name.lower()] = replace(table, cardinalities=(*table.cardinalities, constraint))
    for name, columns in re.findall(r"^-- @unique (\w+)\(([^)]*)\)", text, re.MULTILINE):
        table = tables[name.lower()]
        tables[name.lower()] = replace(table, unique=(*table.unique, _columns(table, columns)))
    return tables


def expectations(path: Path) -> list[Expected]:
    """Every query of the file that has a level."""
    expected = []
    for chunk in re.split(r"(?=^-- @schema )", path.read_text(), flags=re.MULTILINE)[1:]:
        head, *queries = re.split(r"(?=^-- @q )", chunk, flags=re.MULTILINE)
        declared = {table.name.lower(): table for table in parse_statements(head).tables}
        tables = _annotated(head, declared)
        for text in queries:
            level = re.search(r"^-- @level (\S+)", text, re.MULTILINE)
            sql = (
                "\n".join(line for line in text.splitlines() if not line.startswith("--"))
                .split(";")[0]
                .strip()
            )
            if level is not None:
                name = re.findall(r"^-- @q (\S+)", text)[0]
                kind = re.findall(r"^-- @kind (\S+)", text, re.MULTILINE)[0]
                expected.append(Expected(name, kind, level[1], sql, _annotated(text, tables)))
    return expected
