"""What a table is: its schema, partitioning, properties and description, as actions of its log.

delta-rs decides which version of the protocol a schema needs, so it writes them: once for each definition, as
that takes it 20 ms.
"""

from __future__ import annotations

import json
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, Schema

from headwater.storage.delta.checkpoints import CHECKPOINT_EVERY
from headwater.storage.delta.log_commits import log_file

__all__ = ["READS", "definition"]

READS = timedelta(hours=1)  # how long a read may last, unless a project says otherwise
UNTIL_VACUUM = timedelta(minutes=15)  # then a vacuum has seen which files no read can need any more


def definition(
    schema: pa.Schema, description: str, partition_by: Sequence[str] = (), reads: timedelta = READS
) -> list[Mapping[str, Any]]:
    """The actions that make a log's table this one: protocol and metadata, with an identity of its own.

    Its log goes back as far as a read may last, and until the next vacuum: checkpoints have the files that
    were removed since then.
    """
    actions = json.loads(_written(schema, description, tuple(partition_by), reads, CHECKPOINT_EVERY))
    own = {"id": str(uuid.uuid4()), "createdTime": time.time_ns() // 1_000_000}
    return [
        {"metaData": action["metaData"] | own} if "metaData" in action else action
        for action in actions
        if "protocol" in action or "metaData" in action
    ]


@lru_cache(maxsize=256)
def _written(
    schema: pa.Schema,
    description: str,
    partition_by: tuple[str, ...],
    reads: timedelta,
    checkpoint_every: int,
) -> str:
    """What delta-rs writes for such a table, as a list of actions."""
    retention = f"interval {int((reads + UNTIL_VACUUM).total_seconds())} seconds"
    with tempfile.TemporaryDirectory() as folder:
        DeltaTable.create(
            folder,
            Schema.from_arrow(schema),
            partition_by=list(partition_by) or None,
            description=description or None,
            configuration={
                "delta.checkpointInterval": str(checkpoint_every),
                "delta.logRetentionDuration": retention,
                "delta.deletedFileRetentionDuration": retention,
                "delta.dataSkippingNumIndexedCols": "-1",
            },
        )
        with open(log_file(folder, 0), encoding="utf-8") as file:
            return f"[{','.join(file)}]"
