"""`headwater plan`: the same project gives the same text, and the answer no is exit status 1."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from headwater.cli.app import app
from headwater.errors import HeadwaterError, InputError
from headwater.sharing.graph import EdgeKind
from headwater.sharing.graph_text import parse_graph
from headwater.sharing.operators import OPERATORS, OperatorModel
from headwater.starter import write_starter
from headwater.storage.calibration import project_file, write_calibration

TABLES = """
CREATE TABLE people (id BIGINT PRIMARY KEY, city STRING, age INT) EXPECT ROWS 1000000 RATE 50 PER SECOND;
CREATE TABLE cities (city STRING PRIMARY KEY, country STRING);
"""
VIEWS = """
CREATE MATERIALIZED VIEW adults FRESHNESS = INTERVAL '10' SECOND AS SELECT id, city FROM people WHERE age > 17;
CREATE MATERIALIZED VIEW oldest FRESHNESS = INTERVAL '1' MINUTE AS
  SELECT id, age FROM people
  ORDER BY age DESC LIMIT 10;
CREATE MATERIALIZED VIEW by_country FRESHNESS = INTERVAL '20' SECOND AS
  SELECT country, count(*) AS n FROM adults JOIN cities ON cities.city = adults.city GROUP BY country;
"""


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))  # the machine may be calibrated
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: people\n")
    (folder / "tables.sql").write_text(TABLES)
    (folder / "views.sql").write_text(VIEWS)
    return Path("people")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, arguments)])


def answer(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert isinstance(result.exception, SystemExit | None), result.exception
    return dict(json.loads(result.stdout))


def refused(*arguments: object) -> HeadwaterError:
    error = run(*arguments).exception
    assert isinstance(error, InputError)
    return error


def test_the_text_is_stable(people: Path) -> None:
    result = run(people)
    assert result.exit_code == 0
    assert (
        result.stdout
        == """\
┏━━━━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┓
┃ view       ┃ kept         ┃ promised ┃   push ┃ $/hour alone ┃ shared ┃ plan     ┃ answer   ┃
┡━━━━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━┩
│ adults     │ incremental  │     10 s │ 0.25 s │       0.0057 │ 0.0057 │ cheapest │ admitted │
│ oldest     │ full refresh │     60 s │ 0.51 s │       0.0019 │ 0.0019 │ cheapest │ admitted │
│ by_country │ incremental  │     20 s │ 1.12 s │       0.0137 │ 0.0137 │ cheapest │ admitted │
└────────────┴──────────────┴──────────┴────────┴──────────────┴────────┴──────────┴──────────┘
oldest: full refresh, because ORDER BY with LIMIT has no delta rule at people/views.sql:5:12
   5 |   ORDER BY age DESC LIMIT 10;
     |            ^^^
Shared: 15 vertices, 12 edges; 0.0212 $/hour instead of 0.0212 (0% saved).
0.12 cores busy on average.  Sizes and rates: default, expected.  Operators: defaults.  --explain shows all that was used.
"""
    )


def test_one_view_shows_its_path_its_pushes_and_what_was_used(people: Path) -> None:
    result = run(people, "--view", "BY_COUNTRY")
    assert result.exit_code == 0
    text = result.stdout
    assert "by_country: a push is expected to take 1.12 s, within the 20 s promised." in text
    assert "until the views that it reads are fresh" in text
    assert "join Δ cities with adults (533 changes, 333,493 rows scanned)" in text
    assert "When adults changes, a push of by_country runs:" in text
    assert "When cities changes, a push of by_country runs:" in text
    assert "Scan adults [city] delta" in text
    assert "│ people │ 1,000,000 │ expected │        50 │ expected │        64 │" in text
    assert "│ cities │   100,000 │ default  │        10 │ default  │        64 │" in text
    assert "oldest" not in text


def test_the_contract_of_json(people: Path) -> None:
    found = answer(people)
    assert [one["name"] for one in found["views"]] == ["adults", "oldest", "by_country"]
    for one in found["views"]:
        assert one["admitted"] is True
        assert one["chosen"] == "DPD"
        assert {"reason", "why", "used", "path", "pushes_per_hour", "policy", "site", "tight"} <= one.keys()
        assert one["critical_path_s"] <= one["freshness_s"]
        assert one["smallest_freshness_s"] <= one["freshness_s"]
        assert one["critical_path_s"] == pytest.approx(
            one["delay_s"] + sum(step["seconds"] for step in one["path"])
        )
        assert "pushes" not in one
    adults, oldest, by_country = found["views"]
    assert (adults["refresh"], oldest["refresh"]) == ("incremental", "full")
    assert oldest["obstacles"] == [
        {
            "reason": "ORDER BY with LIMIT has no delta rule",
            "place": {"path": "people/views.sql", "line": 5, "column": 12},
        }
    ]
    assert [step["kind"] for step in by_country["path"]] == ["join", "union", "aggregate", "apply"]
    assert by_country["delay_s"] == pytest.approx(adults["critical_path_s"])
    assert by_country["stages"] == [{"name": "by_country", "kind": "linear", "reads": ["adults", "cities"]}]
    shared = found["shared"]
    assert shared["dollars_per_hour_before"] == pytest.approx(shared["dollars_per_hour"])
    assert shared["dollars_per_hour"] == pytest.approx(sum(one["dollars_per_hour"] for one in found["views"]))
    assert (shared["vertices"], shared["edges"], shared["steps"]) == (15, 12, [])
    assert (found["calibration"], found["corrections"]["views"]) == (None, {})


SHARING = """
CREATE TABLE a (k BIGINT PRIMARY KEY, x INT) EXPECT ROWS 100000 RATE 100 PER SECOND;
CREATE TABLE b (k BIGINT PRIMARY KEY REFERENCES a (k), y INT) EXPECT ROWS 100000 RATE 100 PER SECOND;
CREATE TABLE c (k BIGINT PRIMARY KEY REFERENCES a (k), z INT) EXPECT ROWS 100000 RATE 100 PER SECOND;
CREATE MATERIALIZED VIEW ab FRESHNESS = INTERVAL '30' SECOND AS SELECT a.k, x, y FROM a JOIN b ON a.k = b.k;
CREATE MATERIALIZED VIEW abc FRESHNESS = INTERVAL '30' SECOND AS
  SELECT a.k, x, y, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k;
"""


@pytest.fixture
def sharing(people: Path) -> Path:
    (people / "tables.sql").write_text(SHARING)
    (people / "views.sql").unlink()
    return people


def test_what_views_share_is_made_once_and_paid_together(sharing: Path) -> None:
    found = answer(sharing)
    shared = found["shared"]
    assert shared["dollars_per_hour"] < 0.8 * shared["dollars_per_hour_before"]
    assert {"relation": "a * b", "site": "default", "views": ["ab", "abc"]} in shared["relations"]
    for one in found["views"]:
        assert one["dollars_per_hour"] < one["dollars_per_hour_alone"]
    text = run(sharing).stdout
    assert f"instead of {shared['dollars_per_hour_before']:.4f}" in text


def test_a_view_that_joins_what_is_there_costs_less_than_alone_and_others_gain(
    sharing: Path, tmp_path: Path
) -> None:
    (tmp_path / "new.sql").write_text(
        "CREATE MATERIALIZED VIEW more FRESHNESS = INTERVAL '30' SECOND AS"
        " SELECT a.k, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k WHERE y > 3;"
    )
    found = answer(sharing, "--with", tmp_path / "new.sql")
    (more,) = [one for one in found["views"] if one["asked"]]
    marginal = found["asked"]["marginal_dollars_per_hour"]
    assert found["asked"]["views"] == ["more"]
    assert 0 < marginal < more["dollars_per_hour_alone"]
    paid = {
        one["view"]: (one["dollars_per_hour_before"], one["dollars_per_hour"])
        for one in found["asked"]["others"]
    }
    assert paid["abc"][1] < paid["abc"][0]
    assert "With more: +" in run(sharing, "--with", tmp_path / "new.sql").stdout


def test_the_text_form_is_the_whole_plan(sharing: Path) -> None:
    shared = answer(sharing)["shared"]
    graph = parse_graph(run(sharing, "--text").stdout)
    assert (len(graph.vertices), len(graph.edges)) == (shared["vertices"], shared["edges"])
    alone = parse_graph(run(sharing, "--text", "--view", "ab").stdout)
    assert alone.views == {"ab"}


def test_a_calibration_changes_the_answer(people: Path) -> None:
    path = project_file(str(people / "warehouse"))
    slow = OPERATORS.with_models({EdgeKind.AGGREGATE: OperatorModel(30.0)})
    write_calibration(path, slow, {})
    result = run(people)
    assert result.exit_code == 1
    assert "by_country: even the fastest plan takes 30.65 s, longer than the promised 20 s" in result.stdout
    assert "30.000 s  aggregate Δ adults ⋈ cities into Δ by_country" in result.stdout
    assert "Operators: " in result.stdout
    assert answer(people)["calibration"].endswith("people/warehouse/system/calibration.json")


def test_explain_says_what_a_push_runs_in_json_too(people: Path) -> None:
    (oldest,) = answer(people, "--view", "oldest")["views"]
    (push,) = oldest["pushes"]
    assert push["plan"].startswith("recompute, and store the difference:\n")
    assert "ORDER BY" in push["plan"]
    adults = answer(people, "--explain")["views"][0]
    assert [push["changed"] for push in adults["pushes"]] == ["people"]


def test_a_promise_that_cannot_be_kept_is_exit_1(people: Path) -> None:
    hasty = VIEWS.replace("INTERVAL '10' SECOND", "INTERVAL '10' MILLISECOND")
    (people / "views.sql").write_text(hasty)
    result = run(people)
    assert result.exit_code == 1
    assert "REFUSED" in result.stdout
    assert "longer than the promised 0.01 s" in result.stdout
    assert "the smallest freshness that would be admitted is 0.26 s" in result.stdout
    assert "0.250 s  filter Δ people[age > 17]" in result.stdout
    assert run(people, "--view", "oldest").exit_code == 0


def test_a_view_of_another_file_is_priced_and_not_added(people: Path, tmp_path: Path) -> None:
    (tmp_path / "new.sql").write_text(
        "CREATE MATERIALIZED VIEW young FRESHNESS = INTERVAL '2' SECOND AS SELECT id FROM people WHERE age < 9;"
        "CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '2' SECOND AS SELECT count(*) AS n FROM young;"
    )
    before = answer(people)
    found = answer(people, "--with", tmp_path / "new.sql")
    asked = {one["name"] for one in found["views"] if one["asked"]}
    assert asked == {"young", "few"}
    assert found["shared"] == before["shared"]
    extra = found["asked"]["marginal_dollars_per_hour"]
    assert extra > 0
    assert found["dollars_per_hour_with_asked"] == pytest.approx(before["shared"]["dollars_per_hour"] + extra)
    assert {path.name for path in people.iterdir()} == {"headwater.yml", "tables.sql", "views.sql"}


def test_what_explain_statements_ask_about_is_answered(people: Path) -> None:
    with (people / "views.sql").open("a") as file:
        file.write(
            "EXPLAIN CREATE MATERIALIZED VIEW adults FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM people;"
        )
    found = answer(people)
    assert [one["name"] for one in found["views"] if one["asked"]] == ["adults (asked)"]
    assert len(found["views"]) == 4
    assert "adults (asked)" in run(people).stdout


def test_wrong_input(people: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.sql").write_text("-- nothing\n")
    assert refused(people, "--with", "nowhere.sql").code == "HW861"
    assert refused(people, "--with", people / "views.sql").code == "HW862"
    assert refused(people, "--with", "empty.sql").code == "HW863"
    assert refused(people, "--svg", "nowhere/plan.svg").code == "HW864"
    unknown = refused(people, "--view", "adulds")
    assert (unknown.code, unknown.hint) == ("HW210", 'did you mean "adults"?')


def test_the_picture_shows_every_view(people: Path, tmp_path: Path) -> None:
    assert run(people, "--svg", tmp_path / "plan.svg").exit_code == 0
    root = ElementTree.parse(tmp_path / "plan.svg").getroot()
    texts = {one.text for one in root.iter() if one.tag.endswith("text")}
    assert {"people", "cities", "adults", "oldest", "by_country", "critical path"} <= texts


@pytest.mark.cli
def test_the_starter_is_admitted_without_spark(tmp_path: Path) -> None:
    write_starter(tmp_path / "shop", "shop")
    script = (
        "import sys\nfrom headwater.cli.app import main\nsys.argv = ['headwater', 'plan', 'shop', '--json']\n"
        "main_error = None\ntry:\n    main()\nexcept SystemExit as error:\n    main_error = error\n"
        "assert 'pyspark' not in sys.modules, 'plan started Spark'\nraise main_error or SystemExit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(one["admitted"] for one in json.loads(done.stdout)["views"])
    assert not (tmp_path / "shop" / "warehouse").exists()
