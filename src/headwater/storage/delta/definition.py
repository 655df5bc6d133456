"""What a table is: its schema, partitioning, properties and description, as actions of its log.

delta-rs decides which version of the protocol a schema needs, so it writes them.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema

from headwater.storage.delta.checkpoints import CHECKPOINT_EVERY
from headwater.storage.delta.log_commits import log_file

__all__ = ["READS", "create_table", "definition"]

READS = timedelta(hours=1)  # how long a read may last, unless a project says otherwise
UNTIL_VACUUM = timedelta(minutes=15)  # then a vacuum has seen which files no read can need any more


def create_table(
    path: str, schema: pa.Schema, description: str, partition_by: Sequence[str], reads: timedelta = READS
) -> None:
    """Create an empty table; one that exists is left as it is.

    Its log goes back as far as a read may last, and until the next vacuum: checkpoints have the files that
    were removed since then.
    """
    retention = f"interval {int((reads + UNTIL_VACUUM).total_seconds())} seconds"
    os.makedirs(path, exist_ok=True)
    DeltaTable.create(
        path,
        Schema.from_arrow(schema),
        mode="ignore",
        partition_by=list(partition_by) or None,
        description=description or None,
        configuration={
            "delta.checkpointInterval": str(CHECKPOINT_EVERY),
            "delta.logRetentionDuration": retention,
            "delta.deletedFileRetentionDuration": retention,
            "delta.dataSkippingNumIndexedCols": "-1",
        },
    )


def definition(
    schema: pa.Schema, description: str, partition_by: Sequence[str] = (), reads: timedelta = READS
) -> list[Mapping[str, Any]]:
    """The actions that make a log's table this one: protocol and metadata, with an identity of its own."""
    with tempfile.TemporaryDirectory() as folder:
        create_table(folder, schema, description, partition_by, reads)
        with open(log_file(folder, 0), encoding="utf-8") as file:
            actions = [json.loads(line) for line in file]
    return [action for action in actions if "protocol" in action or "metaData" in action]
