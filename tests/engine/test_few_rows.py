"""What is planned where all that a stage reads are few rows: whole relations are compared, nothing is sought."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.algebra.expressions.build import aggregate_of
from headwater.algebra.expressions.tree import Column, call, equal
from headwater.algebra.plans.nodes import Aggregate, Join, Plan, Restrict, Scan, SemiJoin
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.split import split
from headwater.engine.push.decide import Job
from headwater.engine.push.delta_query import few_plan
from headwater.engine.query.estimates import Estimates
from headwater.engine.query.relations import Relations
from headwater.planning.stages.actions import FEW_ROWS, Mode, handles_few
from headwater.storage.timeline import WEIGHT
from headwater.storage.warehouse import Warehouse

SCAN = Scan("t", "t", ("k", "x"))
HIGHEST = Aggregate(
    SCAN, (("k", Column("t.k")),), (replace(aggregate_of("max", Column("t.x")), name="high", type="bigint"),)
)
TYPES = {"k": "bigint", "high": "bigint"}


def job_of(folder: Path, rows: int) -> tuple[Job, Relations]:
    """A table of so many rows, of which one goes."""
    warehouse = Warehouse(str(folder))
    kept = split("v", HIGHEST, HIGHEST.columns, TYPES, ("t",))
    (stage,) = kept.stages
    source = warehouse.source("t")
    source.create(pa.schema([("k", pa.int64()), ("x", pa.int64())]))
    warehouse.stage("v@1").create(pa.schema([(name, pa.int64()) for name in stage.columns]))
    source.append(pa.table({"k": range(rows), "x": range(rows), WEIGHT: [1] * rows}), 1)
    source.append(pa.table({"k": [0], "x": [0], WEIGHT: [-1]}), 2)
    relations = Relations(warehouse, {"t": ("k", "x")}, {"v": "v@1"}, 1, 2, stage)
    return Job(kept, stage, 1, 2, Mode.INCREMENTAL, "", changed={"t": relations.changed("t")}), relations


def restricted(plan: Plan | None) -> bool:
    return plan is not None and any(isinstance(node, Restrict) for node in nodes(plan))


@pytest.mark.parametrize(("rows", "seeks"), [(FEW_ROWS // 2, False), (FEW_ROWS + 1, True)])
def test_groups_are_sought_where_there_are_many_rows(tmp_path: Path, rows: int, seeks: bool) -> None:
    job, relations = job_of(tmp_path, rows)
    plan, read = few_plan(job, relations)
    assert plan is not None
    assert restricted(plan) is seeks
    assert read == Estimates(relations).scanned(plan)
    assert handles_few(read, 1) is not seeks


def test_rows_count_as_often_as_they_are_read(tmp_path: Path) -> None:
    _, relations = job_of(tmp_path, 100)
    both = Restrict(SCAN, (Column("t.k"),), Aggregate(SCAN, (("k", Column("t.k")),), ()))
    assert Estimates(relations).rows(both) == 101
    assert Estimates(relations).scanned(both) == 202


def test_pairs_count_that_no_equality_leads_to(tmp_path: Path) -> None:
    _, relations = job_of(tmp_path, 100)
    other, estimates = replace(SCAN, alias="u"), Estimates(relations)
    equality, order = equal(Column("t.k"), Column("u.k")), call("lt", Column("t.k"), Column("u.k"))
    assert estimates.scanned(Join((SCAN, other), (equality, order))) == 202
    assert estimates.scanned(Join((SCAN, other), (order,))) == 202 + 101 * 101
    assert estimates.scanned(SemiJoin(SCAN, other, ((Column("t.k"), Column("u.k")),))) == 202
    assert estimates.scanned(SemiJoin(SCAN, other, (), order)) == 202 + 101 * 101


def test_an_action_of_many_stages_may_handle_more_rows() -> None:
    assert handles_few(FEW_ROWS, 1)
    assert not handles_few(FEW_ROWS + 1, 1)
    assert handles_few(FEW_ROWS + 1, 2)
