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
from headwater.planning.cost.operators import OPERATORS, OperatorModel
from headwater.planning.graph.graph import EdgeKind
from headwater.planning.graph.text import parse_graph
from headwater.starter import write_starter
from headwater.storage.records.calibration import project_file, write_calibration

TABLES = """
CREATE TABLE people (id BIGINT PRIMARY KEY, city STRING, age INT) EXPECT ROWS 1000000 RATE 50 PER SECOND;
CREATE TABLE cities (city STRING PRIMARY KEY, country STRING);
"""
VIEWS = """
CREATE MATERIALIZED VIEW adults FRESHNESS = INTERVAL '10' SECOND AS SELECT id, city FROM people WHERE age > 17;
CREATE MATERIALIZED VIEW sample FRESHNESS = INTERVAL '1' MINUTE AS
  SELECT id, age FROM people
  TABLESAMPLE (10 PERCENT) REPEATABLE (7);
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
Promises  can be kept for all 3 views
Cost      0.0150 $/hour; 0.0177 without sharing (15% saved)
Shared    adults, which by_country reads
Push      all views in 2 Spark actions, about 2.15 s; 0.09 cores busy on average
┏━━━━━━━━━━━━┳━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━━━━┓
┃ view       ┃ freshness ┃   push ┃ $/hour ┃ refresh     ┃ answer   ┃
┡━━━━━━━━━━━━╇━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━━━━┩
│ adults     │      10 s │ 0.24 s │ 0.0020 │ incremental │ admitted │
│ sample     │      60 s │ 1.60 s │ 0.0060 │ full        │ admitted │
│ by_country │      20 s │ 0.55 s │ 0.0070 │ incremental │ admitted │
└────────────┴───────────┴────────┴────────┴─────────────┴──────────┘
sample: full refresh, because TABLESAMPLE has no delta rule at people/views.sql:5:16
   5 |   TABLESAMPLE (10 PERCENT) REPEATABLE (7);
     |                ^^^^^^^^^^^^^^^^^^^^^^^^^
Sizes and rates: default, expected. Speed of this machine: defaults.
"""
    )


def test_one_view_shows_its_path_its_pushes_and_what_was_used(people: Path) -> None:
    result = run(people, "--view", "BY_COUNTRY")
    assert result.exit_code == 0
    text = result.stdout
    assert "by_country: a push is expected to take 0.55 s, within its freshness of 20 s." in text
    assert "A push of by_country by itself, with all that it reads:" in text
    assert "an action of local[*]" in text
    assert "adults of people (800 changes)" in text
    assert "by_country of adults, cities (427 changes, 466,667 rows scanned)" in text
    assert "When adults changes, a push of by_country runs:" in text
    assert "When cities changes, a push of by_country runs:" in text
    assert "Scan adults [city] delta" in text
    assert "│ people │ 1,000,000 │ expected │        50 │ expected │        64 │" in text
    assert "│ cities │   100,000 │ default  │        10 │ default  │        64 │" in text
    assert "sample" not in text


def test_the_contract_of_json(people: Path) -> None:
    found = answer(people)
    assert [view["name"] for view in found["views"]] == ["adults", "sample", "by_country"]
    for view in found["views"]:
        assert view["admitted"] is True
        assert view["chosen"] == "DPD"
        assert {"reason", "why", "used", "path", "pushes_per_hour", "policy", "site", "tight"} <= view.keys()
        assert view["critical_path_s"] <= view["freshness_s"]
        assert view["smallest_freshness_s"] <= view["freshness_s"]
        assert view["critical_path_s"] == pytest.approx(
            view["delay_s"] + sum(step["seconds"] for step in view["path"])
        )
        assert "pushes" not in view
    adults, sample, by_country = found["views"]
    assert (adults["refresh"], sample["refresh"]) == ("incremental", "full")
    assert sample["obstacles"] == [
        {
            "reason": "TABLESAMPLE has no delta rule",
            "place": {"path": "people/views.sql", "line": 5, "column": 16},
        }
    ]
    assert [(step["action"], step["stage"], step["mode"]) for step in by_country["path"]] == [
        (1, "adults", "incremental"),
        (1, "by_country", "incremental"),
    ]
    assert by_country["stages"] == [{"name": "by_country", "kind": "linear", "reads": ["adults", "cities"]}]
    assert [(action["step"], action["spark"], action["stages"]) for action in found["actions"]] == [
        (1, "local[*]", ["adults", "by_country"]),
        (1, "local[*]", ["sample"]),  # which is no delta: an action of its own, and nobody here reads it
    ]
    works = [work for action in found["actions"] for work in action["works"]]
    assert [work["serves"] for work in works] == [["adults", "by_country"], ["by_country"], ["sample"]]
    assert [work["mode"] for work in works] == ["incremental", "incremental", "full"]
    assert found["push_s"] == pytest.approx(sum(action["seconds"] for action in found["actions"]))
    shared = found["shared"]
    assert shared["dollars_per_hour"] < shared["dollars_per_hour_before"]  # an action is paid once
    assert shared["dollars_per_hour"] == pytest.approx(
        sum(view["dollars_per_hour"] for view in found["views"])
    )
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
    for view in found["views"]:
        assert view["dollars_per_hour"] < view["dollars_per_hour_alone"]
    text = run(sharing).stdout
    assert f"{shared['dollars_per_hour_before']:.4f} without sharing" in text


def test_a_view_that_joins_what_is_there_costs_less_than_alone_and_others_gain(
    sharing: Path, tmp_path: Path
) -> None:
    (tmp_path / "new.sql").write_text(
        "CREATE MATERIALIZED VIEW more FRESHNESS = INTERVAL '30' SECOND AS"
        " SELECT a.k, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = a.k WHERE y > 3;"
    )
    found = answer(sharing, "--with", tmp_path / "new.sql")
    (more,) = [view for view in found["views"] if view["asked"]]
    marginal = found["asked"]["marginal_dollars_per_hour"]
    assert found["asked"]["views"] == ["more"]
    assert 0 < marginal < more["dollars_per_hour_alone"]
    paid = {
        view["view"]: (view["dollars_per_hour_before"], view["dollars_per_hour"])
        for view in found["asked"]["others"]
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
    assert (
        "by_country: even the fastest plan takes 30.35 s, longer than its freshness of 20 s" in result.stdout
    )
    assert "30.345 s  an action of local[*]" in result.stdout
    assert "Speed of this machine: " in result.stdout
    assert answer(people)["calibration"].endswith("people/warehouse/system/calibration.json")


def test_explain_says_what_a_push_runs_in_json_too(people: Path) -> None:
    (sample,) = answer(people, "--view", "sample")["views"]
    (push,) = sample["pushes"]
    assert push["plan"].startswith("recompute, and store the difference:\n")
    assert "TABLESAMPLE" in push["plan"]
    adults = answer(people, "--explain")["views"][0]
    assert [push["changed"] for push in adults["pushes"]] == ["people"]


def test_a_promise_that_cannot_be_kept_is_exit_1(people: Path) -> None:
    hasty = VIEWS.replace("INTERVAL '10' SECOND", "INTERVAL '10' MILLISECOND")
    (people / "views.sql").write_text(hasty)
    result = run(people)
    assert result.exit_code == 1
    assert "REFUSED" in result.stdout
    assert "longer than its freshness of 0.01 s" in result.stdout
    assert "the smallest freshness that would be admitted is 0.25 s" in result.stdout
    assert "0.242 s  an action of local[*]" in result.stdout
    assert run(people, "--view", "sample").exit_code == 0


def test_a_view_of_another_file_is_priced_and_not_added(people: Path, tmp_path: Path) -> None:
    (tmp_path / "new.sql").write_text(
        "CREATE MATERIALIZED VIEW young FRESHNESS = INTERVAL '2' SECOND AS SELECT id FROM people WHERE age < 9;"
        "CREATE MATERIALIZED VIEW few FRESHNESS = INTERVAL '2' SECOND AS SELECT count(*) AS n FROM young;"
    )
    before = answer(people)
    found = answer(people, "--with", tmp_path / "new.sql")
    asked = {view["name"] for view in found["views"] if view["asked"]}
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
    assert [view["name"] for view in found["views"] if view["asked"]] == ["adults (asked)"]
    assert len(found["views"]) == 4
    assert "adults (asked)" in run(people).stdout


def test_wrong_input(people: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.sql").write_text("-- nothing\n")
    assert refused(people, "--with", "nowhere.sql").code == "HW861"
    assert refused(people, "--with", people / "views.sql").code == "HW862"
    assert refused(people, "--with", "empty.sql").code == "HW863"
    assert refused(people, "--svg", "nowhere/plan.svg").code == "HW006"
    unknown = refused(people, "--view", "adulds")
    assert (unknown.code, unknown.hint) == ("HW210", 'did you mean "adults"?')


def test_the_picture_shows_every_view(people: Path, tmp_path: Path) -> None:
    assert run(people, "--svg", tmp_path / "plan.svg").exit_code == 0
    root = ElementTree.parse(tmp_path / "plan.svg").getroot()
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"people", "cities", "adults", "sample", "by_country", "critical path"} <= texts


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
    assert all(view["admitted"] for view in json.loads(done.stdout)["views"])
    assert not (tmp_path / "shop" / "warehouse").exists()


def test_a_view_that_only_its_actions_are_too_slow_for_is_refused_like_any_other(
    people: Path, tmp_path: Path
) -> None:
    """Its operators would keep the promise; the action that they run in would not."""
    (tmp_path / "new.sql").write_text(
        "CREATE MATERIALIZED VIEW hasty FRESHNESS = INTERVAL '200' MILLISECOND AS SELECT id FROM people WHERE age < 9;"
    )
    found = answer(people, "--with", tmp_path / "new.sql")
    (hasty,) = (view for view in found["views"] if view["asked"])
    assert (hasty["admitted"], hasty["chosen"]) == (False, "none")
    assert "longer than its freshness of 0.2 s" in hasty["reason"]
    assert hasty["smallest_freshness_s"] > 0.2
    assert found["asked"]["marginal_dollars_per_hour"] == 0
    assert found["asked"]["others"] == []


def test_the_picture_shows_all_that_views_read_and_cuts_no_name(people: Path, tmp_path: Path) -> None:
    """A UNION reads its second source beside the plan's joins; names are as long as they are."""
    long = "people_who_have_been_seen_in_the_capital_this_year"
    (people / "views.sql").write_text(
        "CREATE TABLE seen (id BIGINT PRIMARY KEY, city STRING);\n"
        f"CREATE MATERIALIZED VIEW {long} AS SELECT id FROM people UNION ALL SELECT id FROM seen;\n"
        "CREATE MATERIALIZED VIEW twice AS SELECT city FROM people WHERE id IN (SELECT id FROM seen);\n"
    )
    assert run(people, "--svg", tmp_path / "plan.svg").exit_code == 0
    root = ElementTree.parse(tmp_path / "plan.svg").getroot()
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"people", "seen", long, "twice"} <= texts
