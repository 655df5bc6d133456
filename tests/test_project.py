"""A project's folder: headwater.yml, its SQL files, and every way they can be wrong."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.errors import InputError
from headwater.model import Durability, Expectation, Prices, Project, Retention
from headwater.project import load
from headwater.project.warning import ProjectWarning

TABLE = "CREATE TABLE user_events (a INT PRIMARY KEY);\n"


def project(folder: Path, settings: str | bytes = "name: shop\n", **files: str | bytes) -> Path:
    """Write a project; a keyword `views` is the file views.sql."""
    for name, content in {
        "headwater.yml": settings,
        **{f"{key}.sql": text for key, text in files.items()},
    }.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def loaded(folder: Path, settings: str = "name: shop\n", **files: str) -> Project:
    return load(project(folder, settings, **(files or {"tables": TABLE})))


def failure(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        load(folder)
    return caught.value


def test_only_the_name_is_required(tmp_path: Path) -> None:
    found = loaded(tmp_path)
    assert (found.name, found.folder, found.storage) == ("shop", str(tmp_path), str(tmp_path / "warehouse"))
    assert (found.spark_master, found.spark_config) == ("local[*]", {})
    assert list(found.sites) == ["default"]
    assert found.sites["default"].storage == found.storage
    assert found.prices == Prices()
    assert found.durability is Durability.FULL


def test_the_designs_settings(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        """
name: shop
storage: ./house
durability: fast
spark: {master: "local[2]", config: {spark.sql.ansi.enabled: true, spark.x: 3}}
freshness: 5 seconds
sites:                               # default: one site
  plango:
    {storage: /srv/p, spark: "sc://host:15002", capacity: {cores: 4, gb: 100}, prices: {core_hour: 0.2}}
  opentable: {}
  third:
prices: {core_hour: 0.170, gb_month: 1}
expect: {USER_EVENTS: {rows: 1_000_000, rate: 50, values: {A: 7}}}
""",
        tables=TABLE + "CREATE MATERIALIZED VIEW v AT SITE PLANGO AS SELECT * FROM user_events",
    )
    plango, opentable = found.sites["plango"], found.sites["opentable"]
    assert found.storage == str(tmp_path / "house")
    assert found.durability is Durability.FAST
    assert found.spark_master == "local[2]"
    assert found.spark_config == {"spark.sql.ansi.enabled": "true", "spark.x": "3"}
    assert found.prices == Prices(Decimal("0.170"), Decimal("0.01"), Decimal(1))
    assert (plango.storage, plango.spark, plango.cores, plango.gb) == ("/srv/p", "sc://host:15002", 4, 100)
    assert plango.prices == Prices(Decimal("0.2"), Decimal("0.01"), Decimal(1))
    assert (opentable.spark, opentable.cores, opentable.prices) == ("local[2]", None, found.prices)
    assert opentable.storage == f"{found.storage}/_sites/opentable"
    assert list(found.sites) == ["default", "plango", "opentable", "third"]
    assert found.tables["user_events"].expect == Expectation(1_000_000, 50.0, (("a", 7),))
    assert (found.views["v"].site, found.views["v"].freshness) == ("plango", timedelta(seconds=5))


def test_retention(tmp_path: Path) -> None:
    assert loaded(tmp_path, "name: shop\n").retention == Retention()
    text = "name: shop\nretention: {history: 7 days, dead_letters: 36h, reads: '2 hours'}\n"
    days, reads = timedelta(days=1), timedelta(hours=2)
    assert loaded(tmp_path, text).retention == Retention(7 * days, 90 * days, 1.5 * days, reads)
    assert loaded(tmp_path, "name: shop\nretention: {history: none}\n").retention.history == timedelta(0)


def test_a_key_that_nothing_reads_is_ignored_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.project.settings.UNUSED", ("once",))
    with pytest.warns(ProjectWarning, match=r"headwater.yml:2:1: nothing reads `once`") as warned:
        found = loaded(tmp_path, "name: shop\nonce: postgres://u:hunter2@h/db\nfreshness: 5 seconds\n")
    assert found.name == "shop"
    assert "hunter2" not in str(warned[0].message)


def test_the_store_of_queries(tmp_path: Path) -> None:
    assert loaded(tmp_path, "name: shop\n").store == ""
    assert loaded(tmp_path, "name: shop\nstore: sqlite\n").store == ""
    found = loaded(tmp_path, "name: shop\nstore: postgres://u:${PASSWORD}@h/db\n")
    assert found.store == "postgres://u:${PASSWORD}@h/db"
    assert "PASSWORD" not in repr(found)
    with pytest.raises(InputError, match="store"):
        loaded(tmp_path, "name: shop\nstore: mysql://h/db\n")


def test_the_default_site_can_be_described(tmp_path: Path) -> None:
    found = loaded(tmp_path, "name: x\nsites: {default: {capacity: {cores: 2}, storage: ./there}}")
    assert list(found.sites) == ["default"]
    assert (found.sites["default"].cores, found.sites["default"].storage) == (2, str(tmp_path / "there"))


def test_expectations_of_the_file_count_before_those_of_the_ddl(tmp_path: Path) -> None:
    table = "CREATE TABLE t (a INT) EXPECT ROWS 5 RATE 6 PER SECOND"
    found = loaded(tmp_path, "name: x\nexpect: {t: {rows: 7}}", tables=table)
    assert found.tables["t"].expect == Expectation(7, 6.0)


def test_files_are_read_by_name_and_views_ordered_across_them(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "x.sql").write_text("this is not read")
    (tmp_path / ".hidden.sql").write_text("nor is this")
    found = loaded(
        tmp_path,
        a="CREATE MATERIALIZED VIEW late AS SELECT * FROM early;",
        b="\ufeffCREATE MATERIALIZED VIEW early AS SELECT * FROM user_events;\r\nCREATE QUERY q AS SELECT 1;",
        c=TABLE + "EXPLAIN CREATE MATERIALIZED VIEW late AS SELECT * FROM user_events",
    )
    assert list(found.views) == ["early", "late"]
    assert list(found.queries) == ["q"]
    assert [view.name for view in found.explained] == ["late"]
    place = found.views["early"].place
    assert place is not None
    assert (place.path, place.line, place.column) == (str(tmp_path / "b.sql"), 1, 26)


def test_names_are_one_namespace_across_files(tmp_path: Path) -> None:
    error = failure(project(tmp_path, a=TABLE, b="\n CREATE QUERY User_Events AS SELECT 1"))
    assert error.code == "HW104"
    assert error.place is not None
    assert (Path(error.place.path).name, error.place.line, error.place.column) == ("b.sql", 2, 15)
    assert "a.sql:1:14" in error.detail


@pytest.mark.parametrize(
    ("settings", "code", "says"),
    [
        ("«", "HW208", "headwater.yml is empty"),
        ("«storage: x", "HW208", "has no name"),
        ("«name:", "HW208", "has no name"),
        ("name: «[a]", "HW207", "name must be text, not a list"),
        ("name: «12", "HW207", "put it in quotes"),
        ("name: «''", "HW207", "an empty text"),
        ("name: x\n«stroage: y", "HW206", 'did you mean "storage"?'),
        ("name: x\n«color: y", "HW206", "known keys: name, storage"),
        ("name: x\n«name: y", "HW214", "is given twice"),
        ("name: x\nspark:\n  «mastr: y", "HW206", 'did you mean "master"?'),
        ("name: x\nspark: {config: {a: «[1]}}", "HW207", "single value"),
        ("name: x\nspark: «3", "HW207", "spark must be a mapping"),
        ('name: x\nspark: {master: «"lcoal[*]"}', "HW207", 'spark.master cannot be "lcoal[*]"'),
        ('name: x\nspark: «local[]', "HW207", "local[*]"),
        ("name: x\nsites: {a: {spark: «host:15002}}", "HW207", "sc://host:15002"),
        ("name: x\nfreshness: «1 month", "HW207", "no fixed length"),
        ("name: x\nfreshness: «3", "HW207", "needs a unit"),
        ("name: x\nstorage: «s3://bucket/shop", "HW215", "storage must be a folder, not an address"),
        ("name: x\nstorage: «file:/data/shop", "HW215", "write the path alone: /data/shop"),
        ("name: x\nsites: {a: {storage: «hdfs://n:9000/a}}", "HW215", "begins with hdfs:"),
        ("name: x\nsites: {a: {storage: «gs:/a}}", "HW215", "sites.a.storage must be a folder"),
        ("name: x\ndurability: «quick", "HW207", "durability is full or fast"),
        ("name: x\ndurability: «no", "HW207", "durability is full or fast"),
        ("name: x\nretention: {audit: «none}", "HW207", "retention.audit: 'none' is not an interval"),
        ("name: x\nretention: {history: «1 month}", "HW207", "no fixed length"),
        ("name: x\nretention: {history: «0 days}", "HW207", "longer than zero"),
        ("name: x\nretention: {reads: «5 minutes}", "HW207", "at least 10 minutes"),
        ("name: x\nretention: {«forever: 1 day}", "HW206", "known keys: history"),
        ("name: x\nsites: «[a, b]", "HW207", "sites must be a mapping of names to values, not a list"),
        ("name: x\nsites:\n  a: {}\n  «A: {}", "HW214", "is declared twice"),
        ("name: x\nsites: {«a/b: {}}", "HW207", "cannot name a site"),
        ("name: x\nsites: {a: {«sparc: y}}", "HW206", 'sites.a has no key "sparc"'),
        ("name: x\nsites: {a: {capacity: {cores: «many}}}", "HW207", 'sites.a.capacity.cores must'),
        ("name: x\nsites: {a: {capacity: {cores: «-1}}}", "HW207", "not negative"),
        ("name: x\nprices: {core_hour: «.inf}", "HW207", "must be a number"),
        ("name: x\nprices: {«core_hours: 1}", "HW206", 'did you mean "core_hour"?'),
        ("name: x\nprices: {core_hour: «1:30}", "HW207", "must be a number"),
        ("name: x\nexpect: {user_events: {rows: «1.5}}", "HW207", "whole number"),
        ("name: x\nexpect: {user_events: {rows: «1e99}}", "HW207", "must be a number"),
        ("name: x\nexpect:\n  «user_event: {rows: 1}", "HW211", 'did you mean "user_events"?'),
        ("name: x\nexpect:\n  «user_events: {values: {ui: 1}}", "HW106", 'has no column "ui"'),
        ("name: x\nexpect: {user_events: «7}", "HW207", "must be a mapping"),
        ("name: x\n  bad«: y", "HW205", "this is not YAML"),
        ("name: «\tx", "HW205", "this is not YAML"),
        ("name: x\n?«", "HW207", "a key must be text"),
        ("«- name", "HW207", "headwater.yml must be a mapping"),
    ],
)  # fmt: skip
def test_wrong_settings_are_shown_where_they_are(tmp_path: Path, settings: str, code: str, says: str) -> None:
    error = failure(project(tmp_path, settings.replace("«", ""), tables=TABLE))
    before = settings[: settings.index("«")]
    assert says in f"{error.message} | {error.hint}", str(error)
    assert error.place is not None
    assert error.place.path == str(tmp_path / "headwater.yml")
    expected = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (error.code, error.place.line, error.place.column) == (code, *expected), str(error)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    error = failure(tmp_path / "shop")
    assert error.code == "HW201"
    assert "headwater init" in error.hint


def test_an_address_in_place_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = failure(Path("s3://bucket/shop"))
    assert (error.code, "object stores" in error.detail.lower()) == ("HW215", True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [["init"], ["bench", "ingest", "--quick", "--out"]])
def test_no_command_makes_a_folder_of_an_address(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*command, "gs://bucket/x"])
    assert isinstance(result.exception, InputError)
    assert result.exception.code == "HW215"
    assert not list(tmp_path.iterdir())


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    assert failure(project(tmp_path) / "headwater.yml").code == "HW202"


def test_no_settings(tmp_path: Path) -> None:
    assert failure(tmp_path).code == "HW203"
    (tmp_path / "headwater.yaml").write_text("name: x")
    assert failure(tmp_path).hint == "rename headwater.yaml"


def test_files_that_are_not_text(tmp_path: Path) -> None:
    error = failure(project(tmp_path, tables=b"-- ok\n-- \xff\xfe"))
    assert error.code == "HW204"
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 4)
    assert failure(project(tmp_path, b"name: \xff")).code == "HW204"


def test_an_empty_project(tmp_path: Path) -> None:
    error = failure(project(tmp_path))
    assert error.code == "HW209"
    assert "has no .sql file" in error.message
    assert "declares no table" in failure(project(tmp_path, tables="-- nothing yet")).message


def test_yaml_that_is_not_characters(tmp_path: Path) -> None:
    assert failure(project(tmp_path, "name: \0", tables=TABLE)).code == "HW205"


@pytest.mark.parametrize(
    ("text", "code"),
    [("CREATE TABLE t (a INT) AT SITE x", "HW123"), ("CREATE QUERY q AS SELECT 1 FROM x", "HW120")],
)
def test_sql_faults_name_the_file(tmp_path: Path, text: str, code: str) -> None:
    error = failure(project(tmp_path, tables=TABLE, z=text))
    assert error.code == code
    assert error.place is not None
    assert error.place.path == str(tmp_path / "z.sql")
