"""A view's version, under which it is stored, depends on what it reads and on nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.catalog import build
from headwater.project import load

VIEWS = {
    "translated": "SELECT a.id, sum(b.n) AS n FROM a JOIN b ON a.id = b.a_id GROUP BY a.id",
    "counted": "SELECT count(*) AS n FROM a",
    "recomputed": "SELECT id, id + 1 AS place FROM a TABLESAMPLE (10 PERCENT) REPEATABLE (7)",
    "over_a_view": "SELECT n FROM counted",
}
STARS = {
    "star": "SELECT * FROM a",
    "qualified_star": "SELECT a.*, b.n FROM a JOIN b ON a.id = b.a_id",
    "recomputed_star": "SELECT *, 1 AS place FROM a TABLESAMPLE (10 PERCENT) REPEATABLE (7)",
    "names_it": "SELECT id, id + 1 AS extra FROM a TABLESAMPLE (10 PERCENT) REPEATABLE (7)",
}


def versions(folder: Path, columns: str) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    (folder / "headwater.yml").write_text("name: p\n")
    tables = f"CREATE TABLE a ({columns}); CREATE TABLE b (a_id INT, n INT);"
    views = "".join(f"CREATE MATERIALIZED VIEW {name} AS {sql};" for name, sql in (VIEWS | STARS).items())
    (folder / "all.sql").write_text(tables + views)
    return dict(build(load(str(folder))).versions)


@pytest.mark.parametrize("columns", ["id INT, extra STRING", "extra INT DEFAULT 3, id INT"])
def test_a_new_column_changes_only_views_that_read_it(tmp_path: Path, columns: str) -> None:
    before, after = versions(tmp_path, "id INT"), versions(tmp_path, columns)
    assert {name for name in before if before[name] != after[name]} == set(STARS)


def test_the_type_of_a_column_that_is_read_counts(tmp_path: Path) -> None:
    before, after = versions(tmp_path, "id INT, x INT"), versions(tmp_path, "id BIGINT, x INT")
    assert {name for name in before if before[name] == after[name]} == {"counted", "over_a_view"}
    other = versions(tmp_path, "id INT, x STRING")
    assert {name for name in before if before[name] != other[name]} == set(STARS) - {"names_it"}
