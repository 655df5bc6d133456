"""The law of adapted joins: what is shown is a part of the exact answer, holds no stale row and no result
twice.

Random joins, windows, tolerances, allowances and changes. What is kept by the delta rules (with the rows
that do not probe left out) is compared after every push with what a join that is run by hand would show:
it looks, for every row that probes, for partners among the rows that are there, and takes a result away
when one of its rows goes.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.tree import Literal
from headwater.algebra.oracle.evaluate import evaluate
from headwater.algebra.passes import optimize
from headwater.algebra.stages.adapting import only_probing, probes, probing_stages
from headwater.algebra.stages.by_last import by_last
from headwater.algebra.stages.stage import Kept
from headwater.catalog import keep
from support.cases import scaled
from support.overload.adapted_by_hand import ByHand, Inputs, Result, Stored, database_of
from support.overload.window_joins import START, Rows, WindowJoin, by_duckdb, random_changes, random_join

PARTS, JOINS, TURNS = 10, 20, 4  # 800 pushes


def ids(results: set[Result]) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row[0] for row in result) for result in results)


@pytest.mark.parametrize("part", range(scaled(PARTS)))
def test_what_is_shown_is_what_a_join_run_by_hand_shows(part: int) -> None:
    filled = dropped = 0
    for seed in range(part * JOINS, (part + 1) * JOINS):
        chance = random.Random(seed)
        retain = chance.choice(["", "RETAIN INTERVAL '40' SECOND"])
        join = random_join(chance, f"ON OVERLOAD ADAPT JOINS {retain}")
        kept = _with_tolerances(join, chance)
        names = dict(zip(join.aliases, join.names, strict=True))
        change = delta(kept.stages[-1], probing_stages(kept))
        assert change is not None
        change = optimize(change)
        inputs, by_hand = Inputs(kept.stages[:-1]), ByHand(join, kept)
        rows: Rows = {name: [] for name in join.tables}
        shown: Counter[tuple[object, ...]] = Counter()
        enough = chance.random() < 0.2
        seen: dict[str, Stored] = {}  # the inputs as of the view's last push
        for turn in range(TURNS):
            at = START + timedelta(seconds=4 * turn + 2)
            random_changes(chance, rows, turn)
            allowances = {
                alias: None if enough or chance.random() < 0.2 else chance.randint(0, 3)
                for alias in join.aliases
            }
            crashed = turn < TURNS - 1 and chance.random() < 0.25
            committed = chance.randint(0, len(join.aliases)) if crashed else len(join.aliases)
            inputs.push(rows, names, at, dict(list(allowances.items())[:committed]))
            by_hand.push(inputs, at)
            if crashed:
                continue  # only some inputs were committed, and the view was not: it has more to take in later
            database = database_of(kept, seen, inputs.stored)
            seen = {stream: dict(held) for stream, held in inputs.stored.items()}
            plan = only_probing(change, probing_stages(kept), Literal(at, ""))
            apart = by_last(change, probing_stages(kept), Literal(at, ""))
            assert evaluate(apart, database) == evaluate(plan, database), seed
            for row, weight in evaluate(plan, database).items():
                shown[row] += weight
            shown = Counter({row: weight for row, weight in shown.items() if weight})
            assert shown == ids(by_hand.shown), seed
            last = kept.stages[-1].plan
            assert last is not None
            assert shown == Counter(dict(evaluate(last, database))), seed  # what `verify` asks
            filled += bool(shown)
        exact = by_duckdb(join.matches, rows)
        assert all(shown[row] <= exact[row] for row in shown), seed
        dropped += by_hand.dropped
    assert filled > JOINS * TURNS // 9
    assert dropped > JOINS


def _with_tolerances(join: WindowJoin, chance: random.Random) -> Kept:
    """Random tolerances, at least as long as the window."""
    window = join.view.window
    assert window is not None
    streams = tuple(
        replace(stream, tolerance=window.length + timedelta(seconds=chance.choice([0, 1, 3, 9])))
        for stream in window.streams
    )
    view = replace(join.view, window=replace(window, streams=streams))
    return keep(view, {name: table.columns for name, table in join.tables.items()})


@pytest.mark.slow
def test_with_enough_allowance_it_is_the_window_join_itself() -> None:
    """As long as nothing comes late, and nothing is older than what is kept."""
    filled = 0
    for seed in range(40):
        chance = random.Random(seed)
        join = random_join(chance, "ON OVERLOAD ADAPT JOINS RETAIN INTERVAL '1' DAY")
        window = join.view.window
        assert window is not None
        streams = tuple(replace(stream, tolerance=timedelta(hours=1)) for stream in window.streams)
        view = replace(join.view, window=replace(window, streams=streams))
        kept = keep(view, {name: table.columns for name, table in join.tables.items()})
        inputs = Inputs(kept.stages[:-1])
        rows: Rows = {name: [] for name in join.tables}
        for turn in range(TURNS):
            random_changes(chance, rows, turn)
            everything = dict.fromkeys(join.aliases)
            at = START + timedelta(seconds=4 * turn + 2)
            inputs.push(rows, dict(zip(join.aliases, join.names, strict=True)), at, everything)
        last = kept.stages[-1].plan
        assert last is not None
        shown = Counter(dict(evaluate(last, database_of(kept, {}, inputs.stored))))
        assert shown == by_duckdb(join.matches, rows), seed
        filled += bool(shown)
    assert filled > 10


@pytest.mark.slow
def test_the_law_notices_a_path_that_probes_with_too_little() -> None:
    """If rows of earlier pushes were left out as well, retractions would be missed."""
    differs = 0
    for seed in range(60):
        chance = random.Random(seed)
        join = random_join(chance, "ON OVERLOAD ADAPT JOINS")
        kept = _with_tolerances(join, chance)
        change = delta(kept.stages[-1], probing_stages(kept))
        assert change is not None
        change = optimize(change)
        inputs = Inputs(kept.stages[:-1])
        rows: Rows = {name: [] for name in join.tables}
        shown: Counter[tuple[object, ...]] = Counter()
        for turn in range(TURNS):
            at = START + timedelta(seconds=4 * turn + 2)
            random_changes(chance, rows, turn)
            old = {stream: dict(held) for stream, held in inputs.stored.items()}
            inputs.push(
                rows, dict(zip(join.aliases, join.names, strict=True)), at, dict.fromkeys(join.aliases, 2)
            )
            database = database_of(kept, old, inputs.stored)
            plan = only_probing(
                optimize(change), probing_stages(kept), Literal(START - timedelta(days=1), "")
            )
            for row, weight in evaluate(plan, database).items():
                shown[row] += weight
            last = kept.stages[-1].plan
            assert last is not None
            differs += Counter({row: weight for row, weight in shown.items() if weight}) != Counter(
                dict(evaluate(last, database))
            )
    assert differs > 3


def test_the_stages_are_named_after_the_view_and_its_inputs() -> None:
    join = random_join(random.Random(1), "ON OVERLOAD ADAPT JOINS")
    kept = keep(join.view, {name: table.columns for name, table in join.tables.items()})
    assert [stage.name for stage in kept.stages] == [*(probes("v", alias) for alias in join.aliases), "v"]
    assert set(kept.stages[-1].reads) == probing_stages(kept)
