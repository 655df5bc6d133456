"""From declarations to what a run keeps: what several views need is stored once, at the sites of the plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import headwater
from headwater.cli.app import app
from headwater.serve.planning.remembered import remembered
from headwater.serve.planning.shared_catalog import shared_catalog

SQL = """
CREATE TABLE a (k BIGINT PRIMARY KEY, x INT) EXPECT ROWS 100000 RATE 100 PER SECOND;
CREATE TABLE b (k BIGINT PRIMARY KEY REFERENCES a (k), y INT) EXPECT ROWS 100000 RATE 100 PER SECOND{site};
CREATE TABLE c (k BIGINT PRIMARY KEY REFERENCES a (k), z INT) EXPECT ROWS 100000 RATE 100 PER SECOND;
CREATE MATERIALIZED VIEW ab FRESHNESS = INTERVAL '30' SECOND AS SELECT a.k, x, y FROM a JOIN b ON a.k = b.k;
CREATE MATERIALIZED VIEW abc FRESHNESS = INTERVAL '30' SECOND AS
  SELECT a.k, x, y, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k;
CREATE MATERIALIZED VIEW hasty FRESHNESS = INTERVAL '1' MILLISECOND AS
  SELECT a.k, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "headwater.yml").write_text("name: t\nsites: {far: {storage: ./far}}\n")
    return tmp_path


def test_a_view_reads_another_view_that_is_part_of_it(folder: Path) -> None:
    (folder / "t.sql").write_text(SQL.format(site=""))
    project = headwater.open(str(folder))
    shared = shared_catalog(project.catalog, project.warehouse)
    assert set(shared.kept["abc"].stages[-1].reads) == {"ab", "c"}
    assert set(shared.kept["ab"].stages[-1].reads) == {"a", "b"}
    # What nobody can promise is kept all the same, as fresh as can be: it shares what it can.
    assert set(shared.kept["hasty"].stages[-1].reads) == {"abc"}
    assert shared.versions["ab"] == project.catalog.versions["ab"]


def test_what_lies_elsewhere_is_copied_once(folder: Path) -> None:
    (folder / "t.sql").write_text(SQL.format(site=" AT SITE far"))
    project = headwater.open(str(folder))
    shared = shared_catalog(project.catalog, project.warehouse)
    assert list(shared.copies.values()) == ["b"]
    assert set(shared.sites.values()) == {"default"}


IN_PLACE = """
relation a*b
  input a
  input b
  equal a.k = b.k

capture a@default -> d(a)@default | ab
capture b@far -> d(b)@far | ab
copy d(a)@default -> d(a)@far | ab
copy d(b)@far -> d(b)@default | ab
join d(a)@far, b@far -> d(a*b by a)@far | ab
copy d(a*b by a)@far -> d(a*b by a)@default | ab
join d(b)@default, a@default -> d(a*b by b)@default | ab
union d(a*b by a)@default, d(a*b by b)@default -> d(a*b)@default | ab
apply d(a*b)@default -> a*b@default | ab
"""


def test_a_remembered_plan_that_joins_in_place_still_runs(folder: Path) -> None:
    """No plan does any more; a plan.txt of an earlier version may."""
    (folder / "t.sql").write_text(SQL.format(site=" AT SITE far"))
    project = headwater.open(str(folder))
    shared_catalog(project.catalog, project.warehouse)
    path = Path(project.warehouse.root) / "plan.txt"
    identities = [line for line in path.read_text().splitlines() if line.startswith("# ")]
    path.write_text("\n".join(identities) + IN_PLACE)
    project = headwater.open(str(folder))
    shared = shared_catalog(project.catalog, project.warehouse)
    # Both halves are joined where the first is: at far, from a replica of a.
    assert shared.copies == {"a@far": "a"}
    (joined,) = shared.kept["ab"].stages[-1].reads
    assert shared.sites[joined] == "far"
    assert set(shared.kept["abc"].stages[-1].reads) == {"ab", "c"}
    assert headwater.open(str(folder)).plan().running is not None


MORE = """
CREATE MATERIALIZED VIEW late FRESHNESS = INTERVAL '30' SECOND AS
  SELECT a.k, y, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k;
"""


def test_a_plan_is_kept_to_and_new_views_join_it(folder: Path) -> None:
    (folder / "t.sql").write_text(SQL.format(site=""))
    project = headwater.open(str(folder))
    first = shared_catalog(project.catalog, project.warehouse)
    # Other statistics, by which another plan might be better: what is stored stays.
    (folder / "t.sql").write_text(SQL.format(site="").replace("RATE 100", "RATE 20", 1) + MORE)
    project = headwater.open(str(folder))
    again = shared_catalog(project.catalog, project.warehouse)
    assert again.kept["abc"].stages == first.kept["abc"].stages
    assert {"ab", "abc"} & set(again.kept["late"].stages[-1].reads)
    (folder / "t.sql").write_text(SQL.format(site=""))
    project = headwater.open(str(folder))
    assert shared_catalog(project.catalog, project.warehouse).kept == first.kept


def test_a_view_that_changes_leaves_its_place(folder: Path) -> None:
    (folder / "t.sql").write_text(SQL.format(site=""))
    project = headwater.open(str(folder))
    shared_catalog(project.catalog, project.warehouse)
    changed = SQL.format(site="").replace("SELECT a.k, x, y, z FROM a", "SELECT a.k, x, z FROM a")
    (folder / "t.sql").write_text(
        changed.replace("JOIN b ON a.k = b.k JOIN c ON c.k = a.k;", "JOIN c ON c.k = a.k;", 1)
    )
    project = headwater.open(str(folder))
    again = shared_catalog(project.catalog, project.warehouse)
    assert set(again.kept["abc"].stages[-1].reads) == {"a", "c"}


def test_the_plan_that_runs_keep_to_is_told(folder: Path) -> None:
    (folder / "t.sql").write_text(SQL.format(site=""))
    project = headwater.open(str(folder))
    assert project.plan().running is None
    shared_catalog(project.catalog, project.warehouse)
    kept = headwater.open(str(folder)).plan().running
    assert kept is not None
    assert (kept.same, kept.saves) == (True, 0.0)  # the refused view is in it, too
    assert "hasty" in kept.graph.views
    (folder / "t.sql").write_text(SQL.format(site="").split("CREATE MATERIALIZED VIEW hasty")[0])
    planned = headwater.open(str(folder)).plan()
    assert planned.running is not None
    assert (planned.running.same, planned.running.saves) == (True, 0.0)
    assert planned.running.dollars == pytest.approx(planned.dollars_per_hour)


BOTH = """
CREATE TABLE a (k BIGINT, x INT) EXPECT ROWS {a} RATE 100 PER SECOND VALUES 1000000 (k);
CREATE TABLE b (k BIGINT, y INT) EXPECT ROWS 10000 RATE 100 PER SECOND VALUES 1000000 (k);
CREATE TABLE c (k BIGINT, z INT) EXPECT ROWS {c} RATE 100 PER SECOND VALUES 1000000 (k);
CREATE MATERIALIZED VIEW ab FRESHNESS = INTERVAL '30' SECOND AS SELECT a.k, x, y FROM a JOIN b ON a.k = b.k;
CREATE MATERIALIZED VIEW bc FRESHNESS = INTERVAL '30' SECOND AS SELECT b.k, y, z FROM b JOIN c ON b.k = c.k;
CREATE MATERIALIZED VIEW abc FRESHNESS = INTERVAL '30' SECOND AS
  SELECT a.k, x, y, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.k;
"""


def test_a_new_plan_may_be_cheaper_than_the_one_that_is_kept(folder: Path) -> None:
    """The small table is joined with the join of the two others; then another one is the small one."""
    (folder / "t.sql").write_text(BOTH.format(a=1_000_000, c=1_000))
    project = headwater.open(str(folder))
    first = shared_catalog(project.catalog, project.warehouse)
    assert set(first.kept["abc"].stages[-1].reads) == {"ab", "c"}
    (folder / "t.sql").write_text(BOTH.format(a=1_000, c=1_000_000))
    project = headwater.open(str(folder))
    planned = project.plan()
    assert planned.running is not None
    assert not planned.running.same
    assert planned.running.saves == pytest.approx(planned.running.dollars - planned.dollars_per_hour)
    assert planned.running.saves > 0.05 * planned.running.dollars
    told = CliRunner().invoke(app, ["plan", str(folder)]).stdout
    assert "Runs follow an earlier plan" in told
    assert "headwater run --replan" in told
    shared_catalog(project.catalog, project.warehouse, replan=True)
    assert "This is the plan that runs follow." in CliRunner().invoke(app, ["plan", str(folder)]).stdout


@pytest.mark.parametrize(
    "condition",
    [
        "t.d > DATE '2024-01-01'",
        "t.at > TIMESTAMP '2024-01-01 00:00:00'",
        "t.name LIKE '50\\\\%' AND t.name <> 'two\nlines'",
        "CAST(t.v AS DECIMAL(10, 2)) > 1.50 AND t.v BETWEEN -1 AND 1e3",
        "coalesce(t.name, 'x') IN ('a', 'b') OR upper(t.name) = 'A'",
        "date_add(t.d, 3) < DATE '2024-02-01' + INTERVAL '3' DAY",
    ],
)
def test_a_plan_with_any_constant_is_kept_by_the_next_run(tmp_path: Path, condition: str) -> None:
    select = f"SELECT t.id, u.x FROM t JOIN u ON t.id = u.id WHERE {condition}"
    (tmp_path / "headwater.yml").write_text("name: p\n")
    (tmp_path / "p.sql").write_text(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, d DATE, at TIMESTAMP, name STRING, v INT);\n"
        "CREATE TABLE u (id BIGINT PRIMARY KEY, x INT);\n"
        f"CREATE MATERIALIZED VIEW v AS {select};\nCREATE MATERIALIZED VIEW w AS {select};\n"
    )
    project = headwater.open(str(tmp_path))
    first = shared_catalog(project.catalog, project.warehouse)
    assert remembered(project.warehouse) is not None
    assert shared_catalog(project.catalog, project.warehouse) == first


def test_a_plan_that_cannot_be_read_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "headwater.yml").write_text("name: p\n")
    (tmp_path / "p.sql").write_text(
        "CREATE TABLE t (id BIGINT PRIMARY KEY);\nCREATE MATERIALIZED VIEW v AS SELECT id FROM t WHERE id > 3;\n"
    )
    project = headwater.open(str(tmp_path))
    first = shared_catalog(project.catalog, project.warehouse)
    for text in (
        "nonsense",
        "# v\n",
        "relation t\n  input t [t.d > DATE",
        'relation t\n  input t [{"call"]\n',
    ):
        Path(project.warehouse.root, "plan.txt").write_text(text)
        caplog.clear()
        assert shared_catalog(project.catalog, project.warehouse) == first
        assert "cannot be read" in caplog.text
