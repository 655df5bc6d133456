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
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.tree import Literal
from headwater.algebra.oracle.evaluate import Database, evaluate
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Version
from headwater.algebra.stages.adapting import only_probing, probes, probing_stages
from headwater.algebra.stages.stage import Kept, Probing, Stage
from headwater.catalog import keep
from support.cases import scaled
from support.overload.window_joins import (
    START,
    Row,
    Rows,
    WindowJoin,
    by_duckdb,
    random_changes,
    random_join,
)  # fmt: skip

PARTS, JOINS, TURNS = 10, 20, 4  # 800 pushes

Stored = dict[Row, tuple[datetime, bool]]  # a row of an input, when it came and whether it probed
Result = tuple[Row, ...]


@dataclass
class Inputs:
    """The recent rows of each input, kept by hand."""

    stages: Sequence[Stage]
    stored: dict[str, Stored] = field(default_factory=dict)

    def push(
        self,
        rows: Rows,
        names: dict[str, str],
        at: datetime,
        allowances: dict[str, int | None],
        committed: int = 99,
    ) -> None:
        for stage in self.stages[:committed]:
            probing = _probing(stage)
            held = self.stored.get(probing.stream, {})
            now = set(rows[names[probing.stream]])
            came = [
                row for row in now - held.keys() if row[3] is not None and row[3] >= at - probing.tolerance
            ]
            came.sort(key=lambda row: (row[3], row[0]))
            allowance = allowances[probing.stream]
            kept = {
                row: flags
                for row, flags in held.items()
                if row in now and row[3] is not None and row[3] >= at - probing.keep
            }
            for rank, row in enumerate(came):
                kept[row] = (at, allowance is None or rank < allowance)
            self.stored[probing.stream] = kept


def _probing(stage: Stage) -> Probing:
    assert stage.probing is not None
    return stage.probing


def database_of(kept: Kept, old: dict[str, Stored], new: dict[str, Stored]) -> Database:
    database: Database = {}
    for stage in kept.stages[:-1]:
        stream = _probing(stage).stream
        columns = ["id", "k", "n", "ts"]
        names = (*columns, "_pushed", "_probed")
        before, after = (
            {(*row, *flags): 1 for row, flags in state.get(stream, {}).items()} for state in (old, new)
        )
        change = {row: after.get(row, 0) - before.get(row, 0) for row in {*before, *after}}
        change = {row: weight for row, weight in change.items() if weight}
        for version, held in ((Version.OLD, before), (Version.NEW, after), (Version.DELTA, change)):
            database[stage.name, version] = (names, held)
    return database


@dataclass
class ByHand:
    """A join that is run by hand."""

    join: WindowJoin
    kept: Kept
    shown: set[Result] = field(default_factory=set)
    dropped: int = 0

    def push(self, inputs: Inputs, at: datetime) -> None:
        stored = [inputs.stored.get(alias, {}) for alias in self.join.aliases]
        self.shown = {
            result
            for result in self.shown
            if all(row in held for row, held in zip(result, stored, strict=True))
        }
        by_id = [{row[0]: row for row in held} for held in stored]
        tables = {f"{alias}_now": list(inputs.stored.get(alias, {})) for alias in self.join.aliases}
        for ids in by_duckdb(self.join.matches_of("_now"), tables):
            result = tuple(rows[number] for rows, number in zip(by_id, ids, strict=True))  # type: ignore[index]
            came = [index for index, row in enumerate(result) if stored[index][row][0] == at]
            if not came:
                continue
            fresh = all(
                row[3] is not None and row[3] >= at - _probing(stage).tolerance
                for row, stage in zip(result, self.kept.stages, strict=False)
            )
            last = came[-1]
            if stored[last][result[last]][1] and fresh:
                self.shown.add(result)
            else:
                self.dropped += 1


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
            inputs.push(rows, names, at, allowances, committed)
            by_hand.push(inputs, at)
            if crashed:
                continue  # only some inputs were committed, and the view was not: it has more to take in later
            database = database_of(kept, seen, inputs.stored)
            seen = {stream: dict(held) for stream, held in inputs.stored.items()}
            plan = only_probing(change, probing_stages(kept), Literal(at, ""))
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
