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

from headwater.storage.warehouse import Warehouse
from support.postgres import Server

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    folder = tempfile.mkdtemp(prefix="headwater-pg-")
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = folder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = Server(os.path.join(folder, "data"))
        server.start()
        server.set("wal_level", "logical")
        server.set("max_replication_slots", "40")
        server.set("max_wal_senders", "20")
        server.set("fsync", "off")
        server.set("autovacuum", "off")
        server.restart()
    try:
        yield server
    finally:
        server.stop()
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
    with psycopg.connect(uri, autocommit=True) as connection:
        yield connection


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(str(tmp_path / "warehouse"))
