"""Random tables with rows for them, some of which are wrong."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from headwater.bench.fuzz.names import Name, random_name

__all__ = ["Column", "RandomTable", "random_table"]

TYPES = (
    "BIGINT", "INT", "SMALLINT", "TINYINT", "STRING", "DOUBLE", "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP",
    "TIMESTAMP_NTZ", "DECIMAL(10,2)", "DECIMAL(38,0)", "BINARY",
)  # fmt: skip
NUMBERS = ("BIGINT", "INT", "SMALLINT", "TINYINT")
WRONG_LINES = (
    b"{", b"not json", b"[]", b"null", b"\xff\xfe\x00", b'{"no such column": 1}', b"42", b'{"op": "burst"}',
    b"{}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    name: Name
    type: str

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS


@dataclass(frozen=True, slots=True)
class RandomTable:
    name: Name
    columns: tuple[Column, ...]  # the first is a BIGINT without NULLs or repetitions
    clauses: str
    folder: str  # of a table USING files or stream; "" for one that is fed
    lines: tuple[bytes, ...]

    @property
    def key(self) -> Column:
        return self.columns[0]

    @property
    def fed(self) -> bool:
        return not self.folder

    @property
    def sql(self) -> str:
        columns = ", ".join(f"{column.name.sql} {column.type}" for column in self.columns)
        return f"CREATE TABLE {self.name.sql} ({columns}){self.clauses};"


def random_table(chance: random.Random, wild: bool, taken: set[str], number: int) -> RandomTable:
    name = random_name(chance, wild, taken)
    taken.add(name.text.lower())
    columns = [Column(random_name(chance, wild), "BIGINT")]
    names = {columns[0].name.text.lower()}
    for _ in range(chance.randint(0, 5)):
        column = Column(random_name(chance, wild, names), chance.choice(TYPES))
        names.add(column.name.text.lower())
        columns.append(column)
    provider = chance.choices(("", "files", "stream"), (7, 2, 1))[0]
    folder = f"in{number}" if provider else ""
    lines = [_line(chance, columns, row) for row in range(chance.randint(0, 12))]
    if wild and chance.random() < 0.4:
        lines += chance.sample(WRONG_LINES, chance.randint(1, 3))
    return RandomTable(name, tuple(columns), _clauses(chance, provider, folder), folder, tuple(lines))


def _clauses(chance: random.Random, provider: str, folder: str) -> str:
    using = {
        "": "",
        "files": f" USING files OPTIONS (path '{folder}', format 'jsonl', settle '0')",
        "stream": f" USING stream OPTIONS (format 'text', path '{{root}}/{folder}', value 'json')",
    }[provider]
    retain = " RETAIN CURRENT" if chance.random() < 0.1 else ""
    expect = " EXPECT ROWS 1000" if chance.random() < 0.2 else ""
    return using + retain + expect


def _line(chance: random.Random, columns: list[Column], row: int) -> bytes:
    values = {column.name.text: _value(chance, column.type) for column in columns[1:]}
    return json.dumps({columns[0].name.text: row} | values, ensure_ascii=chance.random() < 0.5).encode()


def _value(chance: random.Random, kind: str) -> object:
    if chance.random() < 0.15:
        return None
    match kind:
        case "BIGINT" | "INT" | "SMALLINT" | "TINYINT":
            return chance.randint(-3, 9)
        case "STRING":
            return chance.choice(("a", "b", "", "naïve", "it's", "数", "\u0000x", "{}", "null"))
        case "DOUBLE" | "FLOAT":
            return chance.choice((0.5, -1.25, 3, 1e30, 0))
        case "BOOLEAN":
            return chance.random() < 0.5
        case "DATE":
            return f"20{chance.randint(10, 40)}-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}"
        case "TIMESTAMP" | "TIMESTAMP_NTZ":
            zone = "Z" if kind == "TIMESTAMP" else ""
            return f"2026-01-{chance.randint(10, 28)}T1{chance.randint(0, 9)}:00:00{zone}"
        case "BINARY":
            return chance.choice(("", "AAEC", "/w=="))
        case _:
            return chance.choice(("1.50", "-2", "0", "99999.99" if kind.endswith("2)") else "12"))
