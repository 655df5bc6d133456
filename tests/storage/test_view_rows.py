"""How many rows `status` counts is how many `read` gives, however far behind the plain table is."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.storage.published import publish
from headwater.storage.timeline import COMPACTED, WEIGHT
from headwater.storage.view_rows import VISIBLE, count_view, read_view, visible_rows
from headwater.storage.warehouse import Warehouse
from support.cases import scaled


@pytest.mark.parametrize("seed", range(scaled(10)))
def test_status_counts_what_read_gives(seed: int, tmp_path: Path) -> None:
    draw, warehouse = random.Random(seed), Warehouse(str(tmp_path))
    stage, plain = warehouse.stage("v@1"), warehouse.published("v")
    hidden = draw.random() < 0.5
    columns = [("k", pa.int64()), *([(VISIBLE, pa.bool_())] if hidden else [])]
    stage.create(pa.schema(columns))
    plain.create(pa.schema(columns[:1]), "v 1")
    rows = Counter[tuple[int, bool]]()
    for time in range(1, 20):
        delta = Counter(
            {(draw.randrange(9), draw.random() < 0.7 or not hidden): 1 for _ in range(draw.randrange(4))}
        )
        delta.subtract({row: 1 for row in rows if rows[row] > 0 and draw.random() < 0.3})
        changes = {row: weight for row, weight in delta.items() if weight}
        rows.update(changes)
        names = {"k": [row[0] for row in changes], VISIBLE: [row[1] for row in changes]}
        table = {name: pa.array(names[name], kind) for name, kind in columns}
        weights = pa.array(list(changes.values()), pa.int64())
        first = {COMPACTED: time} if time == 1 else None
        stage.append(pa.table({**table, WEIGHT: weights}), time, transactions=first)
        if draw.random() < 0.4:  # else the plain table stays behind, as one that is too large to publish
            since = plain.time()
            publish(plain, visible_rows(stage, stage.delta(since, time)), time)
        read = read_view(stage, plain, "v 1")[1]
        assert Counter(read.column("k").to_pylist()) == Counter(
            {k: count for k in range(9) if (count := rows[k, True]) > 0}
        )
        assert count_view(stage, plain, "v 1") == read.num_rows
        assert count_view(stage, plain, "v 2") == read.num_rows  # a plain table of another definition
