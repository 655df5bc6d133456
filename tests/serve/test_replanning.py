"""`replan: auto`: a run takes a new plan once sizes have drifted so far that it saves a twentieth."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.api import Headwater
from headwater.catalog import Catalog
from headwater.engine.run.reloading import Reloading
from headwater.errors import InputError
from headwater.planning.graph.graph import PlanGraph
from headwater.serve.planning.planned import RunningPlan
from headwater.serve.planning.replanning import improved
from headwater.serve.planning.shared_catalog import shared_catalog

# One small table is joined with the join of the two others; which one that is, drifts.
SQL = """
CREATE TABLE a (k BIGINT, x INT) EXPECT ROWS {a} RATE 100 PER SECOND VALUES 1000000 (k);
CREATE TABLE b (k BIGINT, y INT) EXPECT ROWS 10000 RATE 100 PER SECOND VALUES 1000000 (k);
CREATE TABLE c (k BIGINT, z INT) EXPECT ROWS {c} RATE 100 PER SECOND VALUES 1000000 (k);
CREATE MATERIALIZED VIEW ab FRESHNESS = INTERVAL '30' SECOND AS SELECT a.k, x, y FROM a JOIN b ON a.k = b.k;
CREATE MATERIALIZED VIEW bc FRESHNESS = INTERVAL '30' SECOND AS SELECT b.k, y, z FROM b JOIN c ON b.k = c.k;
CREATE MATERIALIZED VIEW abc FRESHNESS = INTERVAL '30' SECOND AS
  SELECT a.k, x, y, z FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.k;
"""


def project(folder: Path, a: int = 1_000_000, c: int = 1_000, settings: str = "replan: auto\n") -> Headwater:
    (folder / "headwater.yml").write_text(f"name: drifting\n{settings}")
    (folder / "views.sql").write_text(SQL.format(a=a, c=c))
    return headwater.open(str(folder))


def drifted(folder: Path) -> tuple[Catalog, Headwater]:
    """What a run kept, and the project whose plan is no longer the best."""
    first = project(folder)
    kept = shared_catalog(first.catalog, first.warehouse)
    return kept, project(folder, a=1_000, c=1_000_000)


def test_a_plan_that_saves_enough_is_taken(tmp_path: Path) -> None:
    before, later = drifted(tmp_path)
    assert set(before.kept["abc"].stages[-1].reads) == {"ab", "c"}
    after = improved(later.project, later.warehouse)
    assert after is not None
    assert set(after.kept["abc"].stages[-1].reads) == {"a", "bc"}
    assert improved(later.project, later.warehouse) is None  # it is the plan that runs keep to now


def test_what_stays_is_not_computed_anew(tmp_path: Path) -> None:
    before, later = drifted(tmp_path)
    after = improved(later.project, later.warehouse)
    assert after is not None
    assert {name: after.folder(name) for name in ("ab", "bc")} == {
        name: before.folder(name) for name in ("ab", "bc")
    }
    # The inputs of a join may stand in another order, since their sizes have changed.
    assert all(after.stages_under(name) == before.stages_under(name) for name in ("ab", "bc"))


def test_a_plan_that_runs_and_is_still_good_stays(tmp_path: Path) -> None:
    first = project(tmp_path)
    assert improved(first.project, first.warehouse) is None  # nothing has run
    shared_catalog(first.catalog, first.warehouse)
    assert improved(first.project, first.warehouse) is None


@pytest.mark.parametrize(
    ("dollars", "fresh", "same", "outdated"),
    [(1.0, 0.94, False, True), (1.0, 0.96, False, False), (1.0, 0.5, True, False), (0.0, 0.0, False, False)],
)
def test_a_twentieth_is_enough(dollars: float, fresh: float, same: bool, outdated: bool) -> None:
    assert RunningPlan(PlanGraph(), same, dollars, fresh).is_outdated == outdated


def test_a_run_adopts_it_between_two_steps(tmp_path: Path) -> None:
    before, later = drifted(tmp_path)
    reloading = Reloading.of(before, improve=lambda project: improved(project, later.warehouse))
    taken, adopted = reloading.taken, list[Catalog]()
    now = later.catalog
    assert reloading.replan(now)
    assert not reloading.replan(now)  # one is waiting
    reloading.adopt_waiting(lambda catalog: False)  # something that goes is being pushed
    assert reloading.waiting is not None
    reloading.adopt_waiting(lambda catalog: bool(adopted.append(catalog)) or True)
    assert [set(catalog.kept["abc"].stages[-1].reads) for catalog in adopted] == [{"a", "bc"}]
    assert (reloading.waiting, reloading.taken) == (None, taken)
    assert not reloading.replan(now)


def test_without_the_setting_nothing_is_replanned(tmp_path: Path) -> None:
    assert project(tmp_path).project.replans
    assert not project(tmp_path, settings="").project.replans
    assert not project(tmp_path, settings="replan: manual\n").project.replans
    with pytest.raises(InputError, match="manual or auto, not"):
        project(tmp_path, settings="replan: always\n")


def test_plan_says_that_it_is_outdated(tmp_path: Path) -> None:
    from support.commands import answer

    _, later = drifted(tmp_path)
    kept = answer("plan", later.project.folder)["kept"]
    assert kept["outdated"]
    assert kept["replan_saves_dollars_per_hour"] > 0.05 * kept["dollars_per_hour"]
