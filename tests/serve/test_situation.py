"""What a plan rests on: the log where there is one, else what is expected, else defaults; and which it was."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.api import Headwater
from headwater.clock import ManualClock
from headwater.planning.cost.operators import OPERATORS, OperatorModel
from headwater.planning.facts.facts import DEFAULT_BYTES, Origin
from headwater.planning.graph.graph import EdgeKind
from headwater.serve.planning.relation_facts import changes_per_second, met_share, ranges
from headwater.serve.planning.situation import Survey, survey
from headwater.storage.delta.delta_log import DataFile
from headwater.storage.records.calibration import project_file, write_calibration
from headwater.storage.timeline import TIME

SECOND = 1_000_000
SQL = """
CREATE TABLE people (id BIGINT PRIMARY KEY, city INT REFERENCES cities (id), age INT) EXPECT ROWS 1000 RATE 5 PER SECOND VALUES 80 (age);
CREATE TABLE cities (id INT PRIMARY KEY, name STRING) EXPECT ROWS 20;
CREATE MATERIALIZED VIEW housed FRESHNESS = INTERVAL '9' SECOND AS
  SELECT people.id, name FROM people JOIN cities ON cities.id = city;
CREATE MATERIALIZED VIEW counted FRESHNESS = INTERVAL '9' SECOND AS
  SELECT cities.id, name, count(*) AS n FROM people JOIN cities ON cities.id = city GROUP BY cities.id, name;
CREATE MATERIALIZED VIEW over FRESHNESS = INTERVAL '9' SECOND AS SELECT name FROM counted WHERE n > 3;
"""


def file(first: float, last: float, rows: int) -> DataFile:
    low, high = {TIME: int(first * SECOND)}, {TIME: int(last * SECOND)}
    return DataFile("x", "x", rows, 1, low, high, {})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Headwater:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: people\n")
    (folder / "all.sql").write_text(SQL)
    return headwater.open(str(folder), ManualClock(10 * SECOND))


def surveyed(project: Headwater) -> Survey:
    return survey(project.catalog, project.warehouse)


@pytest.mark.parametrize(
    ("files", "rate"),
    [
        ((), None),
        ((file(10, 10, 5),), None),
        ((file(10, 10, 5), file(10.5, 10.5, 5)), None),
        ((file(10, 10, 5), file(69, 69, 5)), None),
        # A load of a million rows, at once or in pieces, then ten changes a second: the load is no rate.
        ((file(10, 10, 10**6), *(file(10 + n, 10 + n, 10) for n in range(1, 121))), 10.0),
        ((*(file(n, n, 10**6) for n in range(9)), *(file(10 + n, 10 + n, 10) for n in range(1, 111))), 10.0),
        # Sixty at once every minute are one a second.
        (tuple(file(60 * n, 60 * n, 60) for n in range(11)), 1.0),
        # What is older than ten minutes does not count.
        ((file(10, 10, 7), file(20, 20, 10**6), *(file(5000 + n, 5000 + n, 2) for n in range(61))), 2.0),
        # A compacted file spans a time of its own.
        ((file(10, 110, 1000),), 10.0),
    ],
)
def test_a_rate_is_what_came_over_the_time_it_took(files: tuple[DataFile, ...], rate: float | None) -> None:
    assert changes_per_second(files) == (None if rate is None else pytest.approx(rate, rel=0.1))


def test_new_rows_meet_the_files_that_their_keys_overlap() -> None:
    def keyed(at: int, low: object, high: object) -> DataFile:
        return DataFile("x", "x", 10, 1, {TIME: at, "k": low}, {TIME: at, "k": high}, {})

    growing = [keyed(at, 10 * at, 10 * at + 9) for at in range(4)]
    scattered = [keyed(at, 0, 10 * at + 9) for at in range(4)]
    assert met_share(growing, "k", growing, "k") == 0.25
    assert met_share(growing, "k", scattered, "k") == 0.25  # nothing old is above its own time
    assert met_share(scattered, "k", growing, "k") == 1.0
    assert met_share(growing, "k", [keyed(0, "a", "b")], "k") == 1.0  # not of one kind
    assert met_share((), "k", growing, "k") == 1.0


def test_the_range_of_integers_stands_for_their_number_unless_they_are_scattered() -> None:
    low, high = (
        {"id": 5, "hash": -(2**60), "name": "a", TIME: 1},
        {"id": 104, "hash": 2**60, "name": "z", TIME: 2},
    )
    files = (DataFile("x", "x", 10, 1, low, high, {}), DataFile("y", "y", 10, 1, {"id": 1}, {"id": 7}, {}))
    assert ranges(files, largest=20.0) == {"id": 104.0}


def test_before_there_is_data_keys_and_references_tell_how_many_values_there_are(project: Headwater) -> None:
    found = surveyed(project)
    people, cities = found.sources["people"], found.sources["cities"]
    assert (people.rows, people.rate, people.rows_from) == (1000, 5, Origin.EXPECTED)
    assert (cities.rate_from, cities.bytes_per_row) == (Origin.DEFAULT, DEFAULT_BYTES)
    assert people.distinct == {"city": 20, "age": 80}
    assert (people.keys, cities.keys) == ((("id",),), (("id",),))
    assert found.views["housed"].rows == 1000
    assert found.views["counted"].rows == 20  # a city's key tells its name
    assert found.calibration == ""


def test_what_is_stored_has_been_measured(project: Headwater) -> None:
    project.ingest("cities", [{"id": n, "name": "x"} for n in range(1, 4)])
    assert isinstance(project.clock, ManualClock)
    for turn in range(4):
        project.clock.advance(timedelta(seconds=20))
        project.ingest("people", [{"id": 10 * turn + n, "city": 1 + n % 3, "age": n} for n in range(10)])
    found = surveyed(project).sources["people"]
    assert (found.rows, found.rows_from, found.rate_from) == (40, Origin.STATISTICS, Origin.STATISTICS)
    assert found.rate == pytest.approx(0.5, rel=0.01)
    assert found.distinct["city"] == 3
    assert found.bytes_per_row == DEFAULT_BYTES  # so few rows do not tell


def test_a_calibration_of_the_project_is_used_and_named(project: Headwater) -> None:
    path = project_file(project.warehouse.root)
    write_calibration(path, OPERATORS.with_models({EdgeKind.JOIN: OperatorModel(7.0)}), {})
    found = surveyed(project)
    assert found.calibration == str(path)
    assert found.situation.operators.models[EdgeKind.JOIN].fixed == 7.0
