"""Every case in *.plan: the plan that comes out, and for free that it means the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.oracle.zsets import add, negate
from headwater.algebra.passes import PASSES
from headwater.algebra.plans.check import faults
from headwater.algebra.plans.nodes import Version
from headwater.algebra.plans.walks import at
from headwater.algebra.text.show import parse, show
from support.golden_plans import Case, bless, random_database, read_cases

FILES = sorted(Path(__file__).parent.glob("*.plan"))
if os.environ.get("HEADWATER_BLESS"):
    for file in FILES:
        bless(file)
CASES = [case for file in FILES for case in read_cases(file)]


def name(case: Case) -> str:
    return f"{case.path.stem}:{case.line}"


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_plan_that_comes_out(case: Case) -> None:
    assert case.result() == case.after


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_text_is_as_it_is_printed(case: Case) -> None:
    written = "\n".join(line.removeprefix("  ") for line in case.before.splitlines())
    assert show(parse(case.before), types=True) == written


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_delta], ids=name)
def test_a_pass_keeps_columns_and_rows_and_is_idempotent(case: Case) -> None:
    before = parse(case.before)
    after = case.function()(before)
    assert after is not None
    assert after.columns == before.columns
    assert faults(after) == faults(before) == []
    assert case.function()(after) == after
    for seed in range(25):
        database = random_database(case, seed)
        assert evaluate(after, database) == evaluate(before, database), f"seed {seed}"


@pytest.mark.parametrize("case", [case for case in CASES if case.is_delta], ids=name)
def test_a_delta_leads_from_old_to_new(case: Case) -> None:
    plan = parse(case.before)
    change = case.function()(plan)
    old = at(plan, Version.OLD, frozenset(case.tables))
    for seed in range(25):
        database = random_database(case, seed)
        expected = add(evaluate(plan, database), negate(evaluate(old, database)))
        assert ({} if change is None else evaluate(change, database)) == expected, f"seed {seed}"


def test_every_pass_has_a_file_with_a_case_that_stays_as_it_is() -> None:
    for pass_ in PASSES:
        cases = [case for case in CASES if case.apply == pass_.__name__]
        assert any(case.after == "same" for case in cases), pass_.__name__
        assert any(case.after != "same" for case in cases), pass_.__name__
