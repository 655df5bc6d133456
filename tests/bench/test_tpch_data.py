"""The rows of `headwater bench tpch` fit the tables that its views read."""

from __future__ import annotations

import numpy as np

from headwater.bench.planning.projects import VIEW_FOLDER
from headwater.bench.tpch.data import Sizes, fixed_tables, orders_and_items
from headwater.sql.ddl.statements import parse_statements
from headwater.storage.delta.types import arrow_schema


def test_rows_have_the_columns_types_and_keys_of_their_tables() -> None:
    declared = parse_statements((VIEW_FOLDER / "tpch.sql").read_text()).tables
    chance, sizes = np.random.default_rng(1), Sizes(0.001)
    orders, items = orders_and_items(sizes, 1, sizes.orders, chance)
    drawn = {**fixed_tables(sizes, chance), "orders": orders, "lineitem": items}
    assert set(drawn) == {table.name for table in declared}
    for table in declared:
        rows, wanted = drawn[table.name], arrow_schema(table.columns)
        assert [(field.name, field.type) for field in rows.schema] == [
            (field.name, field.type) for field in wanted
        ]
        keys = list(table.key)
        assert len(rows.select(keys).group_by(keys).aggregate([])) == len(rows)
