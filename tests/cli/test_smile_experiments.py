"""The experiments of `headwater bench smile` on runs that are made up: their tables, numbers and plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from headwater.bench.smile.experiments.answers import Answer, Bench
from headwater.bench.smile.experiments.by_name import EXPERIMENTS
from headwater.bench.smile.experiments.workshop import Workshop
from headwater.bench.smile.measuring.measures import Journals, measure_view
from headwater.bench.smile.measuring.outcome import Outcome, Setup, Stretch
from headwater.bench.smile.workload.project import Shape, freshness_of
from headwater.bench.smile.workload.schedule import length
from headwater.cli.show.output import to_json

pytestmark = pytest.mark.slow

START = 1_000.0
LIMIT = 3_000.0  # tweets per second that the made-up service keeps


def made_up(setup: Setup) -> Outcome:
    """Every view is pushed at 0.8 of its promise, each push takes 2 s; alone, it moves three times the
    rows.
    """
    end = START + length(setup.load.phases)
    late = setup.rate > LIMIT
    audit: list[dict[str, Any]] = []
    pushes: list[dict[str, Any]] = []
    for app, copy in setup.shape.kept:
        name = f"{app.name}_copy{copy}" if copy else app.name
        freshness = freshness_of(setup.shape, app.number)
        moved = 100 if setup.sharing else 300
        time, ends = START - 10.0, START - 8.0
        while ends < end:
            after, time, ends = time, ends + 0.8 * freshness - 2.0, ends + 0.8 * freshness
            pushes.append({
                "at": int(ends * 1e6), "view": name, "stage": name, "mode": "incremental", "error": "",
                "after": int(after * 1e6), "until": int(time * 1e6), "seconds": 2.0, "predicted_seconds": 2.2,
                "result_rows": moved,
            })  # fmt: skip
        audit += [
            {
                "at": int(at * 1e6), "view": name, "staleness_s": freshness * (1.2 if late else 0.7),
                "freshness_s": freshness, "violated": late, "rows_moved": moved, "cpu_seconds": 0.1,
                "dollars": 2.0 if setup.shape.mix else 4.0,
            }
            for at in range(int(START), int(end), 5)
        ]  # fmt: skip
    journals = Journals(audit, sorted(pushes, key=lambda push: push["at"]), START, end)
    views = tuple(measure_view(name, journals) for name in dict.fromkeys(row["view"] for row in audit))
    violations = sum(view.violations for view in views)
    return Outcome(
        setup, views, journals, {"worst_late_s": 0.1, "cpu_s": 1.0, "generating_cpu_s": 0.1}, 1_000.0, setup.rate,
        cpu_seconds=10.0, jvm_seconds=8.0, cpu_per_million=100.0 if setup.sharing else 250.0, cpu_per_million_whole=200.0,
        stretches=tuple(Stretch(phase.pages, 1_000.0, 10.1 if phase.pages else 10.0, 0.3 if phase.pages else 0.1) for phase in setup.load.phases), start_s=9.0, start_cpu_seconds=15.0, drain_s=3.0, peak_gb=2.5,
        violations=violations, violations_warming=0,
        violations_per_sharing_hour=violations / len(views) / journals.hours, worst_staleness_s=30.0,
        tuples_per_snapshot=1_000.0 if setup.sharing else 3_000.0, prediction_error=0.1, predictions=50,
        planned_push_s=2.0, push_s=1.5,
        dollars_per_sharing_hour=0.01, billed_dollars_per_sharing_hour=0.005, preload={}, checked=(), errors={},
    )  # fmt: skip


class MadeUp:
    """A workshop that runs nothing."""

    def __init__(self, out: Path) -> None:
        self.out, self.seed, self.setups = out, 7, list[Setup]()

    def tell(self, text: str) -> None: ...

    def run(self, setup: Setup, name: str = "") -> Outcome:
        self.setups.append(setup)
        return made_up(setup)


def perform(name: str, out: Path, rate: float = 1_000.0) -> tuple[Answer, list[Setup]]:
    workshop = MadeUp(out)
    bench = Bench(cast(Workshop, workshop), Shape(rate=rate), seconds=120.0, warm=30.0)
    (answer,) = EXPERIMENTS[name](bench)
    to_json(answer.json)
    assert all(len(row) == len(table.columns) for table in answer.tables for row in table.rows)
    return answer, workshop.setups


def column(answer: Answer, name: str, table: int = 0) -> list[object]:
    place = list(answer.tables[table].columns).index(name)
    return [row[place] for row in answer.tables[table].rows]


@pytest.mark.slow
def test_run_draws_the_saw_tooth_and_the_pushes(tmp_path: Path) -> None:
    answer, setups = perform("run", tmp_path)
    assert len(setups) == 1
    assert len(answer.tables[1].rows) == 25
    assert answer.json["cpu_per_million"] == 100.0
    assert {path.name for path in tmp_path.glob("*.svg")} == {"figure-6-staleness.svg", "figure-7-pushes.svg"}


def test_compare_gives_both_the_same_load(tmp_path: Path) -> None:
    answer, (shared, alone) = perform("compare", tmp_path)
    assert (shared.sharing, alone.sharing) == (True, False)
    assert (shared.shape, shared.load) == (alone.shape, alone.load)
    assert answer.json["saved"] == pytest.approx(0.6)


def test_pages_are_open_in_turns(tmp_path: Path) -> None:
    answer, (setup,) = perform("pages", tmp_path)
    warm, *turns = setup.load.all_phases
    assert warm.pages == 0  # nobody looks while it warms up
    assert [turn.pages for turn in turns] == [0, 10, 10, 0, 0, 10, 10, 0]
    assert length(turns) == pytest.approx(120)
    assert answer.json["server_added"] == pytest.approx(0.02)
    assert answer.json["run_added"] == pytest.approx(0.01)


def test_rates_go_up_to_the_wanted_one_and_the_uneven_streams_come_along(tmp_path: Path) -> None:
    answer, setups = perform("rate", tmp_path, 6_000.0)
    names = ["50", "100", "500", "1000", "2000", "3000", "5000", "6000", "gardenhose", "firehose"]
    assert column(answer, "tweets/s") == names
    assert column(answer, "paper")[7] == "about 3"
    assert [setup.rate for setup in setups[:8]] == [50, 100, 500, 1_000, 2_000, 3_000, 5_000, 6_000]
    hose, fire = setups[8:]
    assert hose.rate == pytest.approx(100)
    assert fire.rate == pytest.approx(1_000)
    assert length(hose.load.phases) == pytest.approx(length(fire.load.phases)) == pytest.approx(120)
    assert (tmp_path / "figure-8-rates.png").is_file()


def test_promises_are_beside_table_2(tmp_path: Path) -> None:
    answer, setups = perform("sla", tmp_path)
    assert column(answer, "paper") == [4, 1, 2, 1, 0, 0, 0]
    assert [setup.shape.freshness for setup in setups[:6]] == [10, 20, 30, 40, 50, 60]
    assert setups[6].shape.mix
    # In the mix every view costs half of what it costs otherwise: the paper would plot -100 %.
    assert column(answer, "change", 1) == ["-100 %"] * 25
    assert (tmp_path / "figure-10-mix.svg").is_file()


def test_tuples_are_compared_view_by_view(tmp_path: Path) -> None:
    answer, _ = perform("tuples", tmp_path)
    assert column(answer, "change") == ["-200 %"] * 26
    assert (tmp_path / "figure-9-tuples.svg").is_file()


def test_the_load_changes_in_four_phases(tmp_path: Path) -> None:
    answer, (setup,) = perform("load", tmp_path)
    assert [(phase.seconds, phase.readers, phase.rate) for phase in setup.load.phases] == [
        (30, 8, 75), (30, 16, 75), (30, 32, 100), (30, 50, 150),
    ]  # fmt: skip
    assert setup.shape.promises[4] == 50
    assert column(answer, "worst") == ["35.0"] * 4
    assert column(answer, "view", 1) == ["s01_twitaholic", "s02_twellow", "s03_tweetmeme", "s04_twitdom"]
    assert (tmp_path / "figure-14-load.svg").is_file()


def test_the_highest_rate_and_its_probes_are_shown(tmp_path: Path) -> None:
    answer, setups = perform("highest", tmp_path)
    assert LIMIT / 1.1 <= answer.json["rate"] <= LIMIT
    assert len(column(answer, "held")) == len(setups)
    assert set(column(answer, "held")) == {"yes", "no"}


@pytest.mark.slow
def test_machines_vary_sites_and_views(tmp_path: Path) -> None:
    answer, setups = perform("machines", tmp_path)
    assert column(answer, "sites") == [2, 3, 4, 5]
    assert column(answer, "views", 1) == [20, 25, 30, 40, 50]
    assert {len(setup.shape.kept) for setup in setups} == {20, 25, 30, 40, 50}
    assert (tmp_path / "figure-11-machines.svg").is_file()
