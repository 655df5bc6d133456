"""What the driver merges of changed fragments, compared with windows computed anew from all fragments."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from headwater.engine.push.driver.fragments import Fragments, Lengths, Windows, fragments, net_fragments
from headwater.engine.push.driver.keys import KeyCodes
from headwater.engine.push.driver.numbers import Numbers, TooLarge, as_arrow, numbers
from headwater.engine.push.driver.window_merge import MergedState, Stored, WindowChanges, merge_windows
from support.cases import scaled

STATES = (MergedState("_n", "n", "sum"), MergedState("high", "x", "max"), MergedState("low", "x", "min"))
Row = tuple[int, int, int, int | None]  # key, start, count, extreme


def column(values: list[int | None]) -> Numbers:
    return numbers(pa.chunked_array([pa.array(values, pa.int64())]))


def as_fragments(rows: list[tuple[Row, int]]) -> Fragments:
    whole = [np.array([row[at] for row, _ in rows], np.int64) for at in (0, 1)]
    states = {"n": column([row[2] for row, _ in rows]), "x": column([row[3] for row, _ in rows])}
    return fragments(whole[0], whole[1], states, np.array([weight for _, weight in rows], np.int64))


def by_definition(rows: list[Row], lengths: Lengths) -> dict[tuple[int, int], tuple[int | None, ...]]:
    """Each fragment counted in every window that it lies in."""
    held: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        start = row[1] - (row[1] - lengths.offset) % lengths.slide
        while start > row[1] - lengths.size:
            held.setdefault((row[0], start), []).append(row)
            start -= lengths.slide
    result: dict[tuple[int, int], tuple[int | None, ...]] = {}
    for window, inside in held.items():
        known = [row[3] for row in inside if row[3] is not None]
        result[window] = (sum(row[2] for row in inside), max(known, default=None), min(known, default=None))
    return result


class View:
    """What a view has stored: all changes since its first push."""

    def __init__(self) -> None:
        self.rows: list[tuple[tuple[int, int], tuple[int | None, ...], int]] = []

    def stored(self, _: Windows) -> Stored:
        windows = Windows(*(np.array([row[0][at] for row in self.rows], np.int64) for at in (0, 1)))
        states = {state.name: column([row[1][at] for row in self.rows]) for at, state in enumerate(STATES)}
        return Stored(windows, states, np.array([row[2] for row in self.rows], np.int64))

    def add(self, changes: WindowChanges) -> None:
        for at, weight in enumerate(changes.weights):
            window = int(changes.windows.keys[at]), int(changes.windows.starts[at])
            values = tuple(
                int(part.values[at]) if part.valid[at] else None for part in changes.states.values()
            )
            self.rows.append((window, values, int(weight)))

    def net(self) -> dict[tuple[int, int], tuple[int | None, ...]]:
        weights: dict[tuple[tuple[int, int], tuple[int | None, ...]], int] = {}
        for window, values, weight in self.rows:
            weights[window, values] = weights.get((window, values), 0) + weight
        left = [pair for pair, weight in weights.items() if weight]
        assert all(weights[pair] == 1 for pair in left)
        assert len({window for window, _ in left}) == len(left)
        return dict(left)


def test_merged_windows_are_those_of_the_fragments() -> None:
    """Some groups lose their extremes, so that these are sought among the fragments that are there."""
    lost = sum(_lost_in(Random(seed)) for seed in range(scaled(40)))
    assert lost > 0


def _lost_in(random: Random) -> int:
    slide = random.randint(1, 6)
    size = random.choice((slide, slide * random.randint(1, 5), random.randint(1, 20)))
    lengths = Lengths(size, slide, random.randint(-3, 3))
    view, lost = View(), 0
    there: dict[tuple[int, int], Row] = {}
    for _ in range(6):
        changes: list[tuple[Row, int]] = []
        for key, start in {(random.randint(0, 2), random.randint(-20, 60)) for _ in range(8)}:
            old = there.pop((key, start), None)
            if old is not None:
                changes.append((old, -1))
            if old is None or random.random() < 0.7:
                there[key, start] = (
                    key, start, random.randint(1, 5), random.choice((None, random.randint(-9, 9)))
                )  # fmt: skip
                changes.append((there[key, start], 1))
        now = list(there.values())

        def present(windows: Windows, now: list[Row] = now) -> Fragments:
            nonlocal lost
            lost += len(windows.keys)
            return net_fragments(as_fragments([*((row, 1) for row in now), *twice(now)]))

        view.add(merge_windows(as_fragments(changes), lengths, STATES, "_n", view.stored, present))
        assert view.net() == by_definition(now, lengths)
    return lost


def twice(rows: list[Row]) -> list[tuple[Row, int]]:
    """Changes that say nothing: a fragment that came and went before."""
    return [(row, weight) for row in rows[:3] for weight in (1, -1)]


def test_decimals_are_their_digits() -> None:
    values = pa.array(["1.25", None, "-0.01", "99999999999.9999"]).cast(pa.decimal128(38, 4))
    read = numbers(pa.chunked_array([values]))
    assert read.values.tolist() == [12500, 0, -100, 999999999999999]
    assert as_arrow(read, pa.decimal128(22, 4)).to_pylist() == values.to_pylist()
    assert numbers(pa.chunked_array([values.slice(2)])).values.tolist() == [-100, 999999999999999]
    with pytest.raises(TooLarge):
        numbers(pa.chunked_array([pa.array(["12345678901234567890"]).cast(pa.decimal128(38, 4))]))


def test_a_sum_that_would_not_fit_is_left_to_spark() -> None:
    states = {"n": column([9 * 10**17] * 3), "x": column([1, 1, 1])}
    ones = np.ones(3, np.int64)
    changes = fragments(ones, np.arange(3), states, ones)
    none = View().stored(Windows(ones, ones))
    with pytest.raises(TooLarge):
        merge_windows(changes, Lengths(5, 5, 0), STATES, "_n", lambda _: none, lambda _: changes)


def test_keys_of_several_columns_and_nulls() -> None:
    rows = pa.table({"a": ["x", None, "y", "x"], "b": [1, 2, None, 1]})
    codes = KeyCodes(rows, ["a", "b"])
    assert codes.codes[0] == codes.codes[3]
    assert len(set(codes.codes.tolist())) == 3
    shown = list(zip(*(column.to_pylist() for column in codes.columns(codes.codes)), strict=True))
    assert shown == [("x", 1), (None, 2), ("y", None), ("x", 1)]
    others = pa.table({"b": [2, 7, None], "a": [None, "x", "x"]})
    found, known = codes.of(others, ["a", "b"])
    assert known.tolist() == [True, False, False]
    assert found[0] == codes.codes[1]
    alone = KeyCodes(pa.table({"a": ["x", "y"]}), [])
    assert alone.codes.tolist() == [0, 0]
