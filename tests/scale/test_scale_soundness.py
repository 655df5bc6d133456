"""Soundness: a bounded plan, run on an ordered store, stays within its bound and answers what SQLite answers.

Random schemas, constraints, data that satisfies them, and queries.  Every plan that the search finds (by primary
keys only, with indexes, with assumed references) is run and counted.
"""

from __future__ import annotations

import pytest
from scale_cases import Case, Generator, ViewGenerator, check_rows, sqlite_of
from scale_keeping import as_counter, build, change, contents

from headwater.model import SqlText
from headwater.scale.analyse import Subject, analyse
from headwater.scale.execute import BrokenAssumption, execute
from headwater.scale.optimize import plan_query
from headwater.scale.read import read_query
from headwater.scale.settings import Settings
from headwater.scale.store import MemoryStore
from headwater.scale.subplans import Found
from headwater.sql.select import parse_select

CHUNKS, SCHEMAS, QUERIES = 31, 45, 4
AT_LEAST = 66  # plans run in each chunk: at least 2,046 in all


def plans(case: Case) -> list[Found]:
    """Different plans for a query: by keys, with indexes, with assumptions."""
    sql = SqlText(case.sql)
    query = read_query(parse_select(sql), case.catalog.tables, sql)
    most = plan_query(query, Settings(case.catalog, case.maxima))
    if most is None:
        return []
    by_key = plan_query(query, Settings(case.catalog, case.maxima, secondary=False, assume=False))
    indexed = plan_query(query, Settings(case.catalog, case.maxima, assume=False)) if most.assumes else most
    return list({one.plan: one for one in (by_key, indexed, most) if one is not None}.values())


def run(case: Case, found: Found) -> bool:
    """Run one plan and judge it; False if the data breaks one of its assumptions and it says so."""
    store = MemoryStore.of(case.catalog, case.data)
    try:
        result = execute(found.plan, store, case.catalog, case.params)
    except BrokenAssumption:
        assert found.assumes
        return False
    assert result.operations <= found.bound.operations
    assert result.read <= found.bound.read
    assert len(result.rows) <= found.bound.rows
    check_rows(case, sqlite_of(case.catalog, case.data), [tuple(row.values()) for row in result.rows])
    return True


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_plans_stay_within_their_bounds_and_answer_right(chunk: int) -> None:
    done = 0
    for seed in range(chunk * SCHEMAS, (chunk + 1) * SCHEMAS):
        for case in Generator(seed).cases(QUERIES):
            for found in plans(case):
                try:
                    done += run(case, found)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}: {case.sql} with {case.params}") from error
    assert done >= AT_LEAST


def keep(case: Case, generator: ViewGenerator) -> int:
    """Answer a query from its chosen view, change the tables, and answer it again: reads and changes made."""
    sql = SqlText(case.sql)
    query = read_query(parse_select(sql), case.catalog.tables, sql)
    answer = analyse(Subject("q", query, case.catalog, case.maxima, strict=True), reasons=False)
    choice = answer.choice
    if choice is None or answer.found is None:
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
        result = execute(answer.found.plan, store, choice.catalog, case.params)
        assert result.operations <= answer.found.bound.operations
        assert result.read <= answer.found.bound.read
        assert len(result.rows) <= answer.found.bound.rows
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
        one.table == name for other in case.catalog.tables.values() for one in other.foreign_keys
    )
    if case.data[name] and generator.chance(0.4) and not referenced:
        row = generator.random.choice(case.data[name])
        held = next(one for one in store.rows[name].values() if all(one[part] == row[part] for part in row))
        case.data[name].remove(row)
        change(store, catalog, view, name, held, -1)
    else:
        row = {one.name: generator.value(one) for one in table.columns}
        if not generator.allowed(table, case.data[name], row, case.data):
            return False
        case.data[name].append(row)
        change(store, catalog, view, name, {**row, "$rowid": 10_000 + len(case.data[name])}, +1)
    expected = as_counter(contents(view, sqlite_of(case.catalog, case.data)))
    assert as_counter(list(store.rows.get(view.candidate.name, {}).values())) == expected
    return True


@pytest.mark.parametrize("chunk", range(8))
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
