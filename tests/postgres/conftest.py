"""A real PostgreSQL server for the session, with logical replication on; a database for each test."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_helpers import Server

from headwater.storage.warehouse import Warehouse

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    folder = tempfile.mkdtemp(prefix="headwater-pg-")
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = folder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Server(os.path.join(folder, "data"))
        found.start()
        found.set("wal_level", "logical")
        found.set("max_replication_slots", "40")
        found.set("max_wal_senders", "20")
        found.set("fsync", "off")
        found.set("autovacuum", "off")
        found.restart()
    try:
        yield found
    finally:
        found.stop()
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def uri(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database of its own; its slots are dropped afterwards."""
    server.count += 1
    name = f"test_{server.count}"
    with psycopg.connect(server.uri(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    yield server.uri(name)
    server.ensure()
    with psycopg.connect(server.uri(), autocommit=True) as admin:
        admin.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
            "WHERE database = %s AND NOT active",
            (name,),
        )


@pytest.fixture
def connection(uri: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(uri, autocommit=True) as found:
        yield found


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path / "warehouse"))
