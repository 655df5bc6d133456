"""The content of a file as a batch. Content that cannot be parsed at all is rejected as a whole (line 0).

The bytes are in memory already, so whatever fails here is wrong with the content, and trying again would not
help: pyarrow raises OSError for damaged Parquet as well as for a disk that fails.
"""

from __future__ import annotations

import io
import logging

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.capture.files.csv_rows import csv_batch
from headwater.capture.intake.arrow_rows import arrow_batch
from headwater.capture.intake.batch import Batch, Rejection, no_rows
from headwater.capture.intake.changes import json_records, records_batch
from headwater.errors import HeadwaterError
from headwater.model import Table

__all__ = ["parsed", "rejected_file"]

logger = logging.getLogger(__name__)


def parsed(table: Table, content: bytes, path: str) -> Batch:
    """The records of a file, in the format that the table's options say."""
    try:
        return _parse(table, content, path)
    except (HeadwaterError, OSError, UnicodeDecodeError, pa.ArrowException) as error:
        logger.warning("the file %s is rejected as a whole", path, exc_info=True)
        reason = error.message if isinstance(error, HeadwaterError) else str(error)
        return rejected_file(table, path, reason, _lines_of(table, content))


def rejected_file(table: Table, path: str, reason: str, rows: int = 1) -> Batch:
    """A file rejected as a whole; `rows`: about how many it has."""
    return no_rows(table, [Rejection(0, "", reason, path, count=rows)])


def _lines_of(table: Table, content: bytes) -> int:
    return 1 if table.options.get("format") == "parquet" else max(1, content.count(b"\n"))


def _parse(table: Table, content: bytes, path: str) -> Batch:
    match table.options.get("format", "jsonl"):
        case "parquet":
            return arrow_batch(table, pq.ParquetFile(pa.BufferReader(content)).read(), path)
        case "csv":
            return csv_batch(table, io.BytesIO(content), path)
        case _:
            return records_batch(table, json_records(table, io.BytesIO(content), file=path))
