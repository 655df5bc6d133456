"""What a table is: its schema, partitioning, properties and description, as actions of its log.

delta-rs decides which version of the protocol a schema needs, so it writes them.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema

from headwater.storage.delta.checkpoints import CHECKPOINT_EVERY
from headwater.storage.delta.log_commits import log_file

__all__ = ["create_table", "definition"]

_PROPERTIES = {
    "delta.checkpointInterval": str(CHECKPOINT_EVERY),
    "delta.logRetentionDuration": "interval 1 hours",
    "delta.deletedFileRetentionDuration": "interval 1 hours",
    "delta.dataSkippingNumIndexedCols": "-1",
}


def create_table(path: str, schema: pa.Schema, description: str, partition_by: Sequence[str]) -> None:
    """Create an empty table; one that exists is left as it is."""
    os.makedirs(path, exist_ok=True)
    DeltaTable.create(
        path,
        Schema.from_arrow(schema),
        mode="ignore",
        partition_by=list(partition_by) or None,
        description=description or None,
        configuration=_PROPERTIES,
    )


def definition(
    schema: pa.Schema, description: str, partition_by: Sequence[str] = ()
) -> list[Mapping[str, Any]]:
    """The actions that make a log's table this one: protocol and metadata, with an identity of its own."""
    with tempfile.TemporaryDirectory() as folder:
        create_table(folder, schema, description, partition_by)
        with open(log_file(folder, 0), encoding="utf-8") as file:
            actions = [json.loads(line) for line in file]
    return [action for action in actions if "protocol" in action or "metaData" in action]
