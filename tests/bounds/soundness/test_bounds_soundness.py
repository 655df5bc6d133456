"""Soundness: a bounded plan, run on an ordered store, stays within its bound and answers what SQLite answers.

Random schemas, constraints, data that satisfies them, and queries.  Every plan that the search finds (by primary
keys only, with indexes, with assumed references) is run and counted.
"""

from __future__ import annotations

import pytest

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.functions import LENIENT
from headwater.algebra.expressions.tree import AggregateCall, Expr, Opaque, call, replace_largest, walk
from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.answers.answer import Level
from headwater.bounds.plans import evaluate as evaluation
from headwater.bounds.plans.evaluate import NotExecutable
from headwater.bounds.plans.execute import BrokenAssumption, execute
from headwater.bounds.plans.optimize import plan_query
from headwater.bounds.plans.store import MemoryStore
from headwater.bounds.plans.subplans import BoundedPlan
from headwater.bounds.query.settings import Settings
from headwater.bounds.reading.read import read_query
from headwater.errors import HeadwaterError
from headwater.model import SqlText
from headwater.sql.parsing.parser import normalised_tree
from support.bounds.arrivals import is_spread, view_order
from support.bounds.checking import checked
from support.bounds.hostile_forms import FormGenerator
from support.bounds.hostile_queries import (
    ChildGenerator,
    HostileCase,
    HostileGenerator,
    HostileViewGenerator,
    noise,
    with_functions,
)
from support.bounds.loose_constraints import LooseGenerator
from support.bounds.newest_queries import NewestGenerator
from support.bounds.odd_queries import OddGenerator
from support.bounds.partner_queries import PartnerGenerator
from support.bounds.random_queries import Case, Generator, ViewGenerator
from support.bounds.sqlite_answers import check_rows, sqlite_of
from support.bounds.timeline_queries import TimelineGenerator
from support.bounds.top_queries import TopGenerator
from support.bounds.view_upkeep import as_counter, build, change, contents
from support.cases import scaled

CHUNKS, SCHEMAS, QUERIES = 31, 45, 4
NO_LIMIT = 2**31 - 1  # a bound like this is none
AT_LEAST = 66  # plans run in each chunk: at least 2,046 in all


def plans(case: Case) -> list[BoundedPlan]:
    """Different plans for a query: by keys, with indexes, with assumptions."""
    sql = SqlText(case.sql)
    query = read_query(normalised_tree(sql), case.catalog.tables, sql)
    most = plan_query(query, Settings(case.catalog, case.maxima))
    if most is None:
        return []
    by_key = plan_query(query, Settings(case.catalog, case.maxima, secondary=False, assume=False))
    indexed = plan_query(query, Settings(case.catalog, case.maxima, assume=False)) if most.assumes else most
    return list(
        {bounded.plan: bounded for bounded in (by_key, indexed, most) if bounded is not None}.values()
    )


def run(case: Case, bounded: BoundedPlan) -> bool:
    """Run one plan and judge it; False if the data breaks one of its assumptions and it says so."""
    store = MemoryStore.of(case.catalog, case.data)
    try:
        result = execute(bounded.plan, store, case.catalog, case.params)
    except BrokenAssumption:
        assert bounded.assumes
        return False
    assert result.operations <= bounded.bound.operations
    assert result.read <= bounded.bound.read
    assert len(result.rows) <= bounded.bound.rows
    check_rows(case, sqlite_of(case.catalog, case.data), [tuple(row.values()) for row in result.rows])
    return True


@pytest.mark.parametrize("chunk", range(scaled(CHUNKS)))
def test_plans_stay_within_their_bounds_and_answer_right(chunk: int) -> None:
    done = 0
    for seed in range(chunk * SCHEMAS, (chunk + 1) * SCHEMAS):
        for case in Generator(seed).cases(QUERIES):
            for bounded in plans(case):
                try:
                    done += run(case, bounded)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}: {case.sql} with {case.params}") from error
    assert done >= AT_LEAST


def keep(case: Case, generator: ViewGenerator) -> int:
    """Answer a query from its chosen view, change the tables, and answer it again: reads and changes made."""
    sql = SqlText(case.sql)
    query = read_query(normalised_tree(sql), case.catalog.tables, sql)
    answer = analyse(Subject("q", query, case.catalog, case.maxima, strict=True), reasons=False)
    choice = answer.choice
    if choice is None or answer.bounded_plan is None:
        return 0
    connection = sqlite_of(case.catalog, case.data)
    store = MemoryStore.of(choice.catalog, case.data)
    for view in choice.views:
        build(store, view, connection)
        held = len(store.rows.get(view.candidate.name, {}))
        assert held == len(contents(view, connection))  # the view's key tells its rows apart
        assert held <= view.storage.factor * len(case.data.get(view.storage.relative_to, [None] * 10**6))
    done = 0
    for _ in range(4):
        result = execute(answer.bounded_plan.plan, store, choice.catalog, case.params)
        assert result.operations <= answer.bounded_plan.bound.operations
        assert result.read <= answer.bounded_plan.bound.read
        assert len(result.rows) <= answer.bounded_plan.bound.rows
        check_rows(case, sqlite_of(case.catalog, case.data), [tuple(row.values()) for row in result.rows])
        done += 1
        if len(choice.views) > 1 or not _changed(case, store, choice.catalog, choice.views[0], generator):
            break
    return done


def _changed(case, store, catalog, view, generator) -> bool:  # type: ignore[no-untyped-def]
    """Insert or delete one row, keeping all constraints; the view must follow."""
    name = generator.random.choice(list(case.catalog.tables))
    table = case.catalog[name]
    referenced = any(
        reference.table == name for other in case.catalog.tables.values() for reference in other.foreign_keys
    )
    if case.data[name] and generator.chance(0.4) and not referenced:
        row = generator.random.choice(case.data[name])
        held = next(
            stored for stored in store.rows[name].values() if all(stored[part] == row[part] for part in row)
        )
        case.data[name].remove(row)
        change(store, catalog, view, name, held, -1)
    else:
        row = {column.name: generator.value(column) for column in table.columns}
        if not generator.allowed(table, case.data[name], row, case.data):
            return False
        case.data[name].append(row)
        change(store, catalog, view, name, {**row, "$rowid": 10_000 + len(case.data[name])}, +1)
    expected = as_counter(contents(view, sqlite_of(case.catalog, case.data)))
    assert as_counter(list(store.rows.get(view.candidate.name, {}).values())) == expected
    return True


@pytest.mark.parametrize("chunk", range(scaled(5)))
def test_views_answer_right_and_follow_changes_within_their_bounds(chunk: int) -> None:
    done = 0
    for seed in range(chunk * 40, (chunk + 1) * 40):
        generator = ViewGenerator(seed)
        for case in generator.cases(3):
            try:
                done += keep(case, generator)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {case.sql} with {case.params}") from error
    assert done >= 25


@pytest.mark.parametrize("kind", [TimelineGenerator, PartnerGenerator])
def test_views_of_joined_rows_answer_right_and_follow_changes(kind: type[TimelineGenerator]) -> None:
    done = 0
    for seed in range(scaled(40)):
        generator = kind(seed)
        for case in generator.cases(3):
            try:
                done += keep(case, generator)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {case.sql} with {case.params}") from error
    assert done >= scaled(20)


# Queries of the kinds that once had false proofs, through all of `check`.


@pytest.fixture
def noisy(monkeypatch: pytest.MonkeyPatch) -> None:
    """RAND() as a fixed function of one row of every source: what it is for SQLite in these tests."""

    def noisy_form(expr: Expr) -> Expr:
        names: dict[Expr, Expr] = {part: part for part in walk(expr) if isinstance(part, AggregateCall)}
        for part in walk(expr):
            if isinstance(part, Opaque) and part.volatile:
                values = (call("coalesce", argument, number(-1)) for argument in part.arguments)
                names[part] = call("noise", *values)
        return replace_largest(expr, names)

    monkeypatch.setitem(LENIENT, "noise", noise)
    compiled = evaluation.compiled
    monkeypatch.setattr(evaluation, "compiled", lambda expr: compiled(noisy_form(expr)))


def judge(case: HostileCase) -> bool:
    """Run what `check` says is bounded and hold it to that; False if there is nothing to run."""
    answer = checked(case)
    if case.unknown:
        assert answer.level is Level.NOT_ANALYSED
        return False
    for index in answer.indexes:
        assert index.table not in case.catalog.tables or is_spread(index, case.catalog[index.table])
    for view in answer.choice.views if answer.choice is not None else ():
        assert is_spread(view_order(view), case.catalog[view.storage.relative_to])
    if answer.bounded_plan is None or answer.catalog is None:
        return False
    connection = with_functions(sqlite_of(case.catalog, case.data))
    store = MemoryStore.of(answer.catalog, case.data)
    for view in answer.choice.views if answer.choice is not None else ():
        build(store, view, connection)
    try:
        result = execute(answer.bounded_plan.plan, store, answer.catalog, case.given)
    except NotExecutable as error:
        if "has no value" in str(error):  # a parameter where none can be
            raise AssertionError(str(error)) from error
        return False
    assert answer.bounded_plan.bound.rows < NO_LIMIT
    assert result.operations <= answer.bounded_plan.bound.operations
    assert result.read <= answer.bounded_plan.bound.read
    assert len(result.rows) <= answer.bounded_plan.bound.rows
    check_rows(case, connection, [tuple(row.values()) for row in result.rows])
    return True


@pytest.mark.usefixtures("noisy")
@pytest.mark.parametrize(
    "generator",
    [
        HostileGenerator,
        HostileViewGenerator,
        ChildGenerator,
        LooseGenerator,
        FormGenerator,
        TopGenerator,
        NewestGenerator,
        OddGenerator,
    ],  # fmt: skip
)
@pytest.mark.parametrize("chunk", range(scaled(2)))
def test_hostile_queries_have_no_false_proof(chunk: int, generator: type[HostileGenerator]) -> None:
    done = 0
    for seed in range(chunk * 30, chunk * 30 + min(30, scaled(30))):
        for case in generator(seed).hostile_cases(6):
            try:
                done += judge(case)
            except (AssertionError, BrokenAssumption, HeadwaterError, KeyError) as error:
                raise AssertionError(f"seed {seed}: {case.text} with {case.given}") from error
    assert done >= min(20, scaled(20))
