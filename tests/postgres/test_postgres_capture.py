"""Changes of a real PostgreSQL arrive whole, once and in order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg
import pytest
from postgres_helpers import capture, drain, rows_in_postgres, rows_of, table

from headwater.storage.warehouse import Warehouse

pytestmark = pytest.mark.postgres
Connection = psycopg.Connection[Any]


def test_snapshot_inserts_updates_deletes(uri: str, connection: Connection, warehouse: Warehouse) -> None:
    connection.execute("CREATE TABLE orders (id bigint PRIMARY KEY, name text, unused int)")
    connection.execute("INSERT INTO orders VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    source = capture(warehouse, table(uri, "orders", ("id", "bigint"), ("name", "string")))
    assert drain(source) == 0
    assert rows_of(warehouse, "orders") == Counter({(1, "a"): 1, (2, "b"): 1, (3, None): 1})
    connection.execute("INSERT INTO orders VALUES (4, E'd\\t\\n\\\\')")
    connection.execute("UPDATE orders SET name = 'bb' WHERE id = 2")
    connection.execute("DELETE FROM orders WHERE id = 1")
    connection.execute("UPDATE orders SET id = 30 WHERE id = 3")
    assert drain(source) == 4
    expected = Counter({(2, "bb"): 1, (30, None): 1, (4, "d\t\n\\"): 1})
    assert rows_of(warehouse, "orders") == expected == rows_in_postgres(connection, "orders", "id", "name")
    source.close()
