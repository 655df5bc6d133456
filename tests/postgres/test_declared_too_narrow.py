"""A table declared too narrow for PostgreSQL's: refused with the type to declare, and captured once that is declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from support.commands import answer, command

pytestmark = [pytest.mark.postgres, pytest.mark.spark]


@pytest.mark.usefixtures("spark")
def test_int_over_numeric(uri: str, connection: psycopg.Connection[Any], tmp_path: Path) -> None:
    connection.execute("CREATE TABLE accounts (id bigint PRIMARY KEY, balance numeric(12,2))")
    connection.execute("INSERT INTO accounts SELECT g, g + 0.5 FROM generate_series(1, 100) g")
    (tmp_path / "headwater.yml").write_text("name: bank\n")
    declaration = (
        f"CREATE TABLE accounts (id BIGINT PRIMARY KEY, balance INT) USING postgres OPTIONS (uri '{uri}');\n"
        "CREATE MATERIALIZED VIEW rich FRESHNESS = INTERVAL '5' SECOND AS "
        "SELECT id, balance FROM accounts WHERE balance > 90;\n"
    )
    (tmp_path / "all.sql").write_text(declaration)
    refused = command("run", tmp_path, "--until-idle", status=None)
    assert refused.status != 0
    assert 'column "balance" of table "accounts" is int, in PostgreSQL it is numeric(12,2)' in refused.stderr
    assert "declare balance DECIMAL(12,2)" in refused.stderr
    [source] = answer("status", tmp_path)["sources"]
    assert "declare balance DECIMAL(12,2)" in source["error"]
    assert (source["changes"], source["rejected"]) == (0, 0)
    assert "declare balance DECIMAL(12,2)" in command("capture", tmp_path).stdout
    (tmp_path / "all.sql").write_text(declaration.replace("balance INT", "balance DECIMAL(12,2)"))
    command("run", tmp_path, "--until-idle")
    assert len(answer("read", tmp_path, "rich")["rows"]) == 11
    [rich] = answer("verify", tmp_path)["views"]
    assert (rich["equal"], rich["rows"], rich["rejected"]) == (True, 11, {})
