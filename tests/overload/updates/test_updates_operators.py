"""The five operators under update semantics, and the four delivery models."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.overload.updates import Mode, Pipeline, WindowSpec
from headwater.overload.updates.simulation.update_operators import (
    Tuple,
    aggregate_updates,
    check_order,
    filter_updates,
    join_updates,
    latest,
    map_updates,
    union_updates,
)
from support.cases import law

EXAMPLES = law(120)


def in_order(rows: list[tuple[int, str, int]]) -> list[Tuple]:
    """One tuple for a key and a time, ascending."""
    unique = {(at, key): value for at, key, value in rows}
    return [Tuple(float(at), key, value) for (at, key), value in sorted(unique.items())]


streams = st.lists(st.tuples(st.integers(0, 20), st.sampled_from("ab"), st.integers(-3, 3)), max_size=15).map(
    in_order
)


def newest_only(stream: list[Tuple]) -> list[Tuple]:
    """What a queue may make of a stream: only the newest tuple of each key."""
    return sorted(latest(stream).values(), key=lambda item: item.at)


def positive(value: object) -> bool:
    return isinstance(value, int) and value > 0


def negate(value: object) -> object:
    return -value if isinstance(value, int) else value


FRESH: list[Callable[[list[Tuple]], list[Tuple]]] = [
    lambda stream: filter_updates(stream, positive, retract=True),
    lambda stream: map_updates(stream, negate),
]


@EXAMPLES
@given(streams, st.sampled_from(FRESH))
def test_fresh_operators_need_only_the_newest_tuples(
    stream: list[Tuple], operator: Callable[[list[Tuple]], list[Tuple]]
) -> None:
    assert latest(operator(newest_only(stream))) == latest(operator(stream))


@EXAMPLES
@given(streams, streams)
def test_union_needs_only_the_newest_tuples(left: list[Tuple], right: list[Tuple]) -> None:
    assert latest(union_updates(newest_only(left), newest_only(right))) == latest(union_updates(left, right))


@EXAMPLES
@given(streams, streams, st.integers(0, 8))
def test_join_needs_only_the_newest_tuples_when_both_sides_are_in_the_window(
    left: list[Tuple], right: list[Tuple], window: int
) -> None:
    """A key whose newest tuples lie within the window shows just their pair."""
    shown = latest(join_updates(left, right, float(window)))
    newest_left, newest_right = latest(left), latest(right)
    for key in set(newest_left) & set(newest_right):
        a, b = newest_left[key], newest_right[key]
        if abs(a.at - b.at) <= window:
            assert shown[key].value == (a.value, b.value)
            assert shown[key].at == max(a.at, b.at)


@EXAMPLES
@given(streams, streams, streams)
def test_union_keeps_time_order_and_does_not_depend_on_grouping(
    first: list[Tuple], second: list[Tuple], third: list[Tuple]
) -> None:
    merged = union_updates(first, second, third)
    check_order(merged)
    assert latest(merged) == latest(union_updates(union_updates(first, second), third))
    assert union_updates(first) == first


@EXAMPLES
@given(streams, streams, st.integers(0, 8))
def test_every_operator_keeps_the_order_of_a_key(left: list[Tuple], right: list[Tuple], window: int) -> None:
    check_order(filter_updates(left, positive))
    check_order(map_updates(left, negate))
    check_order(aggregate_updates(left, WindowSpec(3, 1), len))
    check_order(join_updates(left, right, float(window)))


@EXAMPLES
@given(streams)
def test_map_fuses_and_filters_commute(stream: list[Tuple]) -> None:
    assert map_updates(map_updates(stream, negate), negate) == stream
    assert map_updates(filter_updates(stream, positive), negate) == filter_updates(
        map_updates(stream, negate), lambda value: positive(negate(value))
    )


def test_a_filter_as_on_append_streams_leaves_an_older_result_standing() -> None:
    """Why UPDATE KEY views must retract: IBM fell below the price asked for, and only a retraction says
    so.
    """
    stream = [Tuple(1, "IBM", 25), Tuple(2, "IBM", -1)]
    assert latest(filter_updates(stream, positive)) == {"IBM": Tuple(1, "IBM", 25)}
    assert latest(filter_updates(stream, positive, retract=True)) == {}


def test_union_at_one_time_believes_the_first_input() -> None:
    """The paper's example: (9:00, IBM, 24) on both inputs gives one tuple."""
    assert union_updates([Tuple(900, "IBM", 24)], [Tuple(900, "IBM", 24)]) == [Tuple(900, "IBM", 24)]
    assert union_updates([Tuple(900, "IBM", 24)], [Tuple(900, "IBM", 25)]) == [Tuple(900, "IBM", 24)]


def test_aggregate_gives_a_tuple_for_each_closed_window() -> None:
    stream = [Tuple(float(at), "k", at) for at in range(1, 6)]
    sums = aggregate_updates(
        stream, WindowSpec(3, 1), lambda values: sum(v for v in values if isinstance(v, int))
    )
    assert [(item.at, item.value) for item in sums] == [(3, 6), (4, 9), (5, 12)]


def test_join_gives_the_most_recent_match_only() -> None:
    left = [Tuple(1, "k", "old"), Tuple(2, "k", "new")]
    assert join_updates(left, [Tuple(3, "k", 7)], window=5.0) == [Tuple(3, "k", ("new", 7))]
    assert join_updates(left, [Tuple(3, "k", 7)], 5.0, lambda a, b: a == "old") == [Tuple(3, "k", ("old", 7))]
    assert join_updates(left, [Tuple(30, "k", 7)], window=5.0) == []
    assert join_updates(left, [Tuple(3, "other", 7)], window=5.0) == []


def test_times_that_go_back_are_refused() -> None:
    with pytest.raises(InputError):
        check_order([Tuple(2, "a", 1), Tuple(2, "a", 2)])


def shout(value: object) -> object:
    return str(value).upper()


def test_push_push() -> None:
    sent: list[tuple[object, object]] = []
    pipeline = Pipeline(shout, sink=lambda key, result: sent.append((key, result)))
    for key, value in (("a", "x"), ("b", "y"), ("a", "z")):
        pipeline.push(key, value)
    assert [pipeline.step(), pipeline.step(), pipeline.step()] == ["a", "b", None]
    assert sent == [("a", "Z"), ("b", "Y")]


def test_push_pull() -> None:
    pipeline = Pipeline(shout, output=Mode.PULL)
    pipeline.push("a", "x")
    pipeline.push("b", "y")
    assert pipeline.read("b") == "Y"
    assert (pipeline.waiting, pipeline.read("b"), pipeline.read("c")) == (1, "Y", None)
    with pytest.raises(ValueError, match="read"):
        pipeline.step()


@pytest.mark.parametrize("output", [Mode.PUSH, Mode.PULL])
def test_pull_models_fetch_when_they_must(output: Mode) -> None:
    fresh, asked = [("a", "x"), ("a", "y")], []

    def source() -> list[tuple[str, str]]:
        asked.append(len(fresh))
        new, fresh[:] = list(fresh), []
        return new

    pipeline = Pipeline(shout, Mode.PULL, output, source=source)
    assert asked == []
    if output is Mode.PUSH:
        assert (pipeline.step(), pipeline.step()) == ("a", None)
        with pytest.raises(ValueError, match="step"):
            pipeline.read("a")
    else:
        assert pipeline.read("a") == "Y"
    assert pipeline.results == {"a": "Y"}
    with pytest.raises(ValueError, match="source"):
        pipeline.push("a", "late")
