"""Views come into a project and leave it by its files alone; nothing is written when the answer is no."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import headwater
from headwater.catalog import build
from headwater.cli.app import app
from headwater.engine.run.reloading import Reloading, difference, needs_restart
from headwater.errors import HeadwaterError
from headwater.project import fingerprint, load
from headwater.storage.records.dropped import mark_dropped, note_shared, sweep_dropped, sweep_shared, unmark
from headwater.storage.records.run_lock import run_lock
from headwater.storage.warehouse import Warehouse

TABLES = "CREATE TABLE people (id BIGINT PRIMARY KEY, age INT) EXPECT ROWS 100;\n"
VIEWS = """-- both views
CREATE MATERIALIZED VIEW old FRESHNESS = INTERVAL '10' SECOND AS SELECT id FROM people WHERE age > 70;
CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '10' SECOND AS SELECT count(*) AS n FROM old;
"""
YOUNG = "-- who is young\nCREATE MATERIALIZED VIEW young FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM people WHERE age < 9"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: people\n")
    (folder / "tables.sql").write_text(TABLES)
    (folder / "views.sql").write_text(VIEWS)
    return folder


@pytest.fixture
def young(tmp_path: Path) -> Path:
    path = tmp_path / "new.sql"
    path.write_text(YOUNG)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(*words: object) -> HeadwaterError:
    result = run(*words)
    assert isinstance(result.exception, HeadwaterError), result.output
    return result.exception


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file()}


def test_an_added_view_gets_a_file_of_its_own(people: Path, young: Path) -> None:
    before = files(people)
    result = run("add", people, young, "--json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (answer["added"], answer["admitted"], answer["running"]) == (True, True, False)
    # Nothing is shared but the fixed cost of an action.
    assert answer["marginal_dollars_per_hour"] == pytest.approx(
        answer["views"][0]["dollars_per_hour"], rel=0.05
    )
    assert files(people) == before | {"young.sql": YOUNG + ";\n"}
    assert set(load(people).views) == {"old", "few", "young"}


def test_views_that_read_each_other_come_together(people: Path, tmp_path: Path) -> None:
    path = tmp_path / "two.sql"
    path.write_text(
        "CREATE MATERIALIZED VIEW b FRESHNESS = '9 s' AS SELECT count(*) AS n FROM a;\n"
        "CREATE MATERIALIZED VIEW a FRESHNESS = '9 s' AS SELECT id FROM people;"
    )
    answer = json.loads(run("add", people, path, "--json").stdout)
    assert [Path(file).name for file in answer["files"]] == ["a.sql", "b.sql"]
    assert {"a", "b"} <= set(load(people).views)


def test_no_file_is_overwritten(people: Path, young: Path) -> None:
    (people / "young.sql").write_text("-- mine\n")
    assert run("add", people, young).exit_code == 0
    assert (people / "young.sql").read_text() == "-- mine\n"
    assert (people / "young-2.sql").read_text() == YOUNG + ";\n"


def test_a_refused_view_is_not_written_unless_forced(people: Path, young: Path) -> None:
    young.write_text(YOUNG.replace("'5' SECOND", "'10' MILLISECOND"))
    before = files(people)
    result = run("add", people, young)
    assert result.exit_code == 1
    assert "REFUSED" in result.stdout
    assert "Nothing was written" in result.stdout
    assert "longer than its freshness of 0.01 s" in result.stdout
    assert "Marginal cost" not in result.stdout
    assert json.loads(run("add", people, young, "--json").stdout)["marginal_dollars_per_hour"] is None
    assert files(people) == before
    assert run("add", people, young, "--force").exit_code == 0
    assert "young" in load(people).views


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "HW863"),
        ("CREATE TABLE x (a INT)", "HW891"),
        (f"{YOUNG}; CREATE QUERY q AS SELECT id FROM people", "HW891"),
        ("EXPLAIN " + YOUNG.partition("\n")[2], "HW891"),
        (YOUNG.replace("young", "OLD", 2), "HW104"),
        (YOUNG.replace("FROM people", "FROM peple"), "HW120"),
        (YOUNG.replace("SELECT id", "SELECT ("), "HW113"),
    ],
)
def test_wrong_files_write_nothing(people: Path, young: Path, text: str, code: str) -> None:
    young.write_text(text)
    before = files(people)
    error = refused("add", people, young)
    assert (error.code, error.exit_status) == (code, 2)
    assert files(people) == before


def test_more_wrong_input(people: Path, tmp_path: Path) -> None:
    assert refused("add", people, tmp_path / "nowhere.sql").code == "HW861"
    assert refused("add", people, people / "views.sql").code == "HW862"
    unknown = refused("drop", people, "fwe")
    assert (unknown.code, unknown.hint) == ("HW210", 'did you mean "few"?')


def test_dropping_cuts_the_statement_out(people: Path) -> None:
    assert "cut out of" in run("drop", people, "FEW").stdout
    assert (people / "views.sql").read_text() == "\n".join(VIEWS.splitlines()[:2]) + "\n"
    answer = json.loads(run("drop", people, "old", "--json").stdout)
    assert answer["file_deleted"] is True
    assert set(files(people)) == {"headwater.yml", "tables.sql"}


def test_a_byte_order_mark_stays(people: Path) -> None:
    (people / "views.sql").write_bytes(b"\xef\xbb\xbf" + VIEWS.replace("\n", "\r\n").encode())
    assert run("drop", people, "few").exit_code == 0
    left = (people / "views.sql").read_bytes()
    assert left == b"\xef\xbb\xbf" + ("\r\n".join(VIEWS.splitlines()[:2]) + "\r\n").encode()


def test_what_others_read_cannot_be_dropped(people: Path) -> None:
    (people / "queries.sql").write_text(
        "CREATE QUERY one AS SELECT id FROM Old WHERE id = :id; EXPLAIN CREATE MATERIALIZED VIEW x AS SELECT id FROM old;"
    )
    before = files(people)
    error = refused("drop", people, "old")
    assert (error.code, error.exit_status) == ("HW892", 1)
    assert "view few, EXPLAIN of x, query one" in error.message
    assert files(people) == before


def stored(people: Path, view: str) -> list[Path]:
    """Pretend that a view was kept."""
    project = headwater.open(str(people))
    paths = [
        Path(project.warehouse.stage(project.catalog.folder(view)).path),
        people / "warehouse" / "views" / view,
    ]
    for path in paths:
        path.mkdir(parents=True)
        (path / "part").write_text("rows")
    return paths


def test_stored_tables_go_when_nobody_runs(people: Path) -> None:
    few, old = stored(people, "few"), stored(people, "old")
    assert "removed" in run("drop", people, "few").stdout
    assert not any(path.exists() for path in few)
    assert all(path.exists() for path in old)


def test_stored_tables_may_be_kept(people: Path) -> None:
    few = stored(people, "few")
    assert "stay" in run("drop", people, "few", "--keep-data").stdout
    assert all(path.exists() for path in few)


def test_beside_a_run_its_tables_are_left_to_it(people: Path) -> None:
    few = stored(people, "few")
    catalog = headwater.open(str(people)).catalog
    with run_lock(str(people / "warehouse"), 1):
        assert "The run lets it go" in run("drop", people, "few").stdout
    assert all(path.exists() for path in few)
    warehouse = Warehouse(str(people / "warehouse"))
    # The run has not let it go yet, and then it has.
    assert sweep_dropped(warehouse, set(catalog.folders().values()), catalog.kept) == []
    after = build(load(people))
    assert sweep_dropped(warehouse, set(after.folders().values()), after.kept) == ["few"]
    assert not any(path.exists() for path in few)
    assert sweep_dropped(warehouse, set(), ()) == []


def test_a_view_added_again_keeps_its_tables(people: Path, tmp_path: Path) -> None:
    few = stored(people, "few")
    again = tmp_path / "again.sql"
    again.write_text(VIEWS.splitlines()[2])
    with run_lock(str(people / "warehouse"), 1):
        run("drop", people, "few")
        assert json.loads(run("add", people, again, "--json").stdout)["running"] is True
    assert sweep_dropped(Warehouse(str(people / "warehouse")), set(), ()) == []
    assert all(path.exists() for path in few)


def test_marks_of_several_versions_add_up(tmp_path: Path) -> None:
    warehouse = Warehouse(str(tmp_path))
    for version in ("v@1", "v@2"):
        (tmp_path / "stages" / version).mkdir(parents=True)
        mark_dropped(warehouse, "v", [version])
    unmark(warehouse, ["v@2"], ["v"])
    assert sweep_dropped(warehouse, ["v@2"], ["v"]) == ["v"]
    assert [path.name for path in (tmp_path / "stages").iterdir()] == ["v@2"]


# What a run takes over


def edited(people: Path, name: str, text: str) -> Reloading:
    project = headwater.open(str(people))
    reloading = Reloading.of(project.catalog)
    (people / name).write_text(text)
    reloading.look(project.catalog)
    return reloading


def test_a_run_sees_views_come_go_and_change(people: Path) -> None:
    before = headwater.open(str(people)).catalog
    found = edited(
        people, "views.sql", VIEWS.partition("CREATE MATERIALIZED VIEW few")[0].replace("70", "80") + YOUNG
    ).waiting
    assert found is not None
    assert difference(before, found) == "added young; dropped few; changed old"
    assert difference(found, found) == ""


@pytest.mark.parametrize(
    "edit", ["FRESHNESS = INTERVAL '11' SECOND", "FRESHNESS = INTERVAL '10' SECOND OWNER = 'x'"]
)
def test_another_promise_or_owner_is_taken_over(people: Path, edit: str) -> None:
    before = headwater.open(str(people)).catalog
    found = edited(people, "views.sql", VIEWS.replace("FRESHNESS = INTERVAL '10' SECOND", edit, 1)).waiting
    assert found is not None
    assert found.versions == before.versions
    assert difference(before, found) == "changed old"


def test_comments_and_expectations_change_nothing_that_is_kept(people: Path) -> None:
    before = headwater.open(str(people)).catalog
    found = edited(people, "tables.sql", "-- more\n" + TABLES.replace("100", "200")).waiting
    assert found is not None
    assert difference(before, found) == ""


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("tables.sql", TABLES.replace("age INT", "age BIGINT"), 'table "people" changed: restart to apply'),
        ("tables.sql", TABLES + "CREATE TABLE x (a INT);", 'table "x" was added: restart to apply'),
        ("headwater.yml", "name: people\nsites: {a: {}}", "sites changed in headwater.yml: restart to apply"),
        ("views.sql", "CREATE MATERIALIZED", "the views go on as they were"),
        ("views.sql", VIEWS.replace("id FROM people", "di FROM people"), "the views go on as they were"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_over_is_said(people: Path, name: str, text: str, problem: str) -> None:
    reloading = edited(people, name, text)
    assert reloading.waiting is None
    assert problem in reloading.problem
    assert reloading.taken != fingerprint(str(people))


def test_mending_a_wrong_file_clears_the_problem(people: Path) -> None:
    catalog = headwater.open(str(people)).catalog
    reloading = edited(people, "views.sql", "CREATE")
    assert reloading.problem
    (people / "views.sql").write_text(VIEWS)
    reloading.look(catalog)
    assert reloading.problem == ""
    assert reloading.waiting is not None


def test_nothing_of_the_same_project_needs_a_restart(people: Path) -> None:
    assert list(needs_restart(load(people), load(people))) == []
    before = load(people)
    (people / "headwater.yml").write_text("name: people\nprices: {core_hour: 9}\n")
    assert list(needs_restart(before, load(people))) == []
    removed: Any = load(people)
    (people / "tables.sql").write_text(TABLES + "CREATE TABLE y (a INT);")
    assert list(needs_restart(load(people), removed)) == ['table "y" was removed']


def test_shared_stages_that_the_plan_no_longer_has_are_removed(tmp_path: Path) -> None:
    warehouse, roots = Warehouse(str(tmp_path / "home")), {"default": "", "m2": str(tmp_path / "m2")}
    before = {"a+b~12ab@3": "default", "a+b~99ff@3": "default", "a@m2@4": "m2", "v@m2@1": "m2"}
    paths = {name: Path(roots[site] or warehouse.root) / "stages" / name for name, site in before.items()}
    stranger = tmp_path / "m2" / "stages" / "b~77aa@1"  # of another project
    for path in (*paths.values(), stranger):
        path.mkdir(parents=True)
    first = {name: before[name] for name in ("a+b~12ab@3", "a+b~99ff@3", "a@m2@4")}
    assert sweep_shared(warehouse, first, roots, first) == []
    note_shared(warehouse, {"v@m2@1": "m2"})  # a view that was added while a run went on
    after = {name: before[name] for name in ("a+b~12ab@3", "a@m2@4")}
    assert sweep_shared(warehouse, after, roots, after) == ["a+b~99ff@3", "v@m2@1"]
    assert {name for name, path in paths.items() if path.exists()} == after.keys()
    assert stranger.exists()
    assert sweep_shared(warehouse, after, roots, after) == []
    assert sweep_shared(warehouse, {}, roots, ["a@m2@4"]) == ["a+b~12ab@3"]
    assert paths["a@m2@4"].exists()
