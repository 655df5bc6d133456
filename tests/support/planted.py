"""A secret planted in what tests connect with, and a search for it in all that comes out.

PostgreSQL's addresses in tests hold it as their password, projects of the command line's tests refer to it by
an environment variable.  After each test (conftest.py) it must be in no captured output, no log and no file of
a warehouse; the user's own files, where it was written, do not count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.storage.warehouse import Warehouse

PLANTED = "pl4nted-S3cret"
VARIABLE = "HEADWATER_TEST_SECRET"
MINE = {".sql", ".yml"}  # what a user writes

os.environ[VARIABLE] = PLANTED


def plant(project: Path) -> None:
    """Let a project's Spark refer to the secret."""
    settings = project / "headwater.yml"
    lines = [line for line in settings.read_text().splitlines() if not line.startswith("spark:")]
    config = f'{{spark.hadoop.planted.secret.key: "${{{VARIABLE}}}"}}'
    settings.write_text("\n".join([*lines, f'spark: {{master: "local[*]", config: {config}}}', ""]))


def planted_leaks(fixtures: Iterable[object], output: str) -> list[str]:
    """Where the secret was found: "the output", or files below the folders and warehouses among the fixtures."""
    leaks = ["the output"] if PLANTED in output else []
    return leaks + [str(path) for path in sorted(set(_files(fixtures))) if _holds(path)]


def _files(fixtures: Iterable[object]) -> Iterator[Path]:
    for fixture in fixtures:
        root = Path(fixture.root) if isinstance(fixture, Warehouse) else fixture
        if isinstance(root, Path) and root.is_dir():
            yield from (path for path in root.rglob("*") if path.is_file() and path.suffix not in MINE)


def _holds(path: Path) -> bool:
    status = path.stat()
    return _content_holds(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=100_000)
def _content_holds(path: Path, _size: int, _modified_ns: int) -> bool:
    if path.suffix != ".parquet":
        return PLANTED.encode() in path.read_bytes()
    with pq.ParquetFile(path) as file:  # compressed: what can be read is what counts
        names = [column.name for column in file.schema_arrow if pa.types.is_string(column.type)]
        texts = file.read(columns=names)
    return any(pc.any(pc.match_substring(texts.column(name), PLANTED)).as_py() for name in names)
