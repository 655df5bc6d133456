"""Names are treated alike in all commands: what `plan` accepts, `run`, `read` and `verify` accept too."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.commands import answer, command

SQL = """
CREATE TABLE größe (id BIGINT, naïve INT, `order` STRING);
CREATE MATERIALIZED VIEW einfach AS SELECT naïve, count(*) AS zähler FROM größe GROUP BY naïve;
CREATE MATERIALIZED VIEW ganz AS SELECT naïve, row_number() OVER (ORDER BY id) AS `größe` FROM größe g;
CREATE MATERIALIZED VIEW über AS SELECT `größe`, 'größe ''x' AS naïf FROM ganz WHERE naïve > 0;
"""


@pytest.mark.spark
@pytest.mark.parametrize("folder", ["plain", "[x] {y}*?"])
def test_names_beyond_ascii_without_quotes(spark: SparkSession, tmp_path: Path, folder: str) -> None:
    """In any folder: Spark takes [ and { in paths for patterns."""
    tmp_path /= folder
    tmp_path.mkdir()
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "shop.sql").write_text(SQL)
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "naïve": 2, "order": "a"}\n{"id": 2, "naïve": 0}\n')
    assert answer("ingest", tmp_path, "GRÖSSE".replace("SS", "ß"), tmp_path / "rows.jsonl")["accepted"] == 2
    command("run", tmp_path, "--until-idle")
    assert answer("read", tmp_path, "über")["rows"] == [{"größe": 1, "naïf": "größe 'x"}]
    assert [view["equal"] for view in answer("verify", tmp_path)["views"]] == [True] * 3
    assert "2" in command("sql", tmp_path, "SELECT sum(naïve) AS n FROM größe").stdout


@pytest.mark.spark
def test_a_failing_view_says_so_in_one_line_wherever_it_is_asked_for(
    spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "shop.sql").write_text(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, n INT);\n"
        "CREATE MATERIALIZED VIEW bad FRESHNESS = INTERVAL '1' SECOND AS SELECT id, 1 / n AS x FROM t;\n"
        "CREATE MATERIALIZED VIEW good AS SELECT id FROM t;\n"
    )
    (tmp_path / "rows.jsonl").write_text('{"id": 7, "n": 0}\n')
    command("ingest", tmp_path, "t", tmp_path / "rows.jsonl")
    done = command("run", tmp_path, "--until-idle", status=1)
    printed = done.stderr + capfd.readouterr().err
    assert "Traceback" not in printed
    assert "org.apache.spark" not in printed
    told = [line for line in done.stderr.splitlines() if "1 / n" in line and "pushes" not in line]
    assert len(told) == 1
    assert "1 / n" in (tmp_path / "warehouse" / "logs" / "headwater.log").read_text()
    refused = command("read", tmp_path, "bad", status=1).stderr
    assert "HW825" in refused
    assert "id = 7" in refused
    assert answer("read", tmp_path, "good")["rows"] == [{"id": 7}]
    (tmp_path / "rows.jsonl").write_text('{"op": "upsert", "row": {"id": 7, "n": 1}}\n')
    command("ingest", tmp_path, "t", tmp_path / "rows.jsonl")
    command("run", tmp_path, "--until-idle")
    (tmp_path / "rows.jsonl").write_text('{"op": "upsert", "row": {"id": 7, "n": 0}}\n')
    command("ingest", tmp_path, "t", tmp_path / "rows.jsonl")
    command("run", tmp_path, "--until-idle", status=1)
    late = command("read", tmp_path, "bad")
    assert "bad fails, so it does not advance" in late.stderr
    assert "1.0" in late.stdout
