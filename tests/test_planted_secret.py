"""The search for the planted secret finds it where it would be."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.storage.warehouse import Warehouse
from support.commands import command
from support.planted import PLANTED, plant, planted_leaks


def test_it_is_found_in_the_output_in_logs_and_in_tables(tmp_path: Path) -> None:
    root = tmp_path / "warehouse"
    (root / "logs").mkdir(parents=True)
    assert planted_leaks([tmp_path, "text", None], "nothing") == []
    log, table = root / "logs" / "headwater.log", root / "part.parquet"
    log.write_text(f"connecting to x://app:{PLANTED}@db\n")
    pq.write_table(pa.table({"error": [f"password={PLANTED}"] * 100}), table, compression="zstd")
    (tmp_path / "tables.sql").write_text(PLANTED)  # the user's own
    assert planted_leaks([Warehouse(str(root))], f"a {PLANTED} b") == ["the output", str(log), str(table)]


@pytest.mark.parametrize("words", [("status",), ("plan",), ("plan", "--json"), ("capture",), ("bill",)])
def test_a_project_that_refers_to_it_shows_it_nowhere(words: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    command("init", folder)
    plant(folder)
    done = command(words[0], folder, *words[1:], status=None)
    assert planted_leaks([tmp_path], done.stdout + done.stderr) == []
