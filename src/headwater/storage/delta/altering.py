"""The actions of a Delta commit that give a table another schema.

    {"metaData": {"id": ..., "schemaString": "...", "partitionColumns": [...], "configuration": {...}, ...}}
    {"protocol": {...}}     only if a type of the new schema needs a feature that the table did not have

Everything but the schema stays as it is: id, description, partition columns, properties.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema

__all__ = ["schema_actions"]

_NTZ = "timestampNtz"  # the feature of tables with a TIMESTAMP_NTZ column
_BEFORE_FEATURES = ("appendOnly", "invariants")  # what writer version 2 stands for, by name


def schema_actions(table: DeltaTable, schema: pa.Schema) -> list[dict[str, Any]]:
    """The lines of a commit after which `table` has the columns of `schema`."""
    metadata = table.metadata()
    described = {
        "id": metadata.id,
        "name": metadata.name,
        "description": metadata.description,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": Schema.from_arrow(schema).to_json(),
        "partitionColumns": metadata.partition_columns,
        "createdTime": metadata.created_time,
        "configuration": metadata.configuration,
    }
    return [*_protocol(table, schema), {"metaData": described}]


def _protocol(table: DeltaTable, schema: pa.Schema) -> list[dict[str, Any]]:
    """The protocol with the feature that TIMESTAMP_NTZ needs, if the table does not have it yet."""
    protocol = table.protocol()
    needed = any(pa.types.is_timestamp(column.type) and column.type.tz is None for column in schema)
    if not needed or _NTZ in (protocol.reader_features or ()):
        return []
    readers = {*(protocol.reader_features or ()), _NTZ}
    writers = {*(protocol.writer_features or _BEFORE_FEATURES), _NTZ}
    return [
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": sorted(readers),
                "writerFeatures": sorted(writers),
            }
        }
    ]
