"""Windows: Figure 12's traces, the marks, the cost formula, and that buffers stay bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.overload.updates.simulation.simulate import trace
from headwater.overload.updates.windowed.append import append_windows
from headwater.overload.updates.windowed.keys import KeyState
from headwater.overload.updates.windowed.marking import Operator, mark
from headwater.overload.updates.windowed.run import Event, WindowRun, simulate_windows
from headwater.overload.updates.windowed.window_spec import OpenWindows, WindowSpec
from support.cases import law

FIGURE_12 = WindowSpec(size=3, slide=1)
EXAMPLES = law(120)


def run_one_key(semantics: str, until: int) -> tuple[WindowRun, list[Event]]:
    log: list[Event] = []
    run = WindowRun(FIGURE_12, semantics, 2.0, log=log)  # type: ignore[arg-type]
    run.feed([float(at) for at in range(1, until + 1)], [0] * until, 1)
    return run, log


def test_figure_12_a_lazy() -> None:
    """W1 = {1,2,3} closes at 3 and takes 6.  At 9 the newest closed window is W6 = {6,7,8}, for 9 has not
    arrived.
    """
    _, log = run_one_key("lazy", 16)
    assert [(at, what, start) for at, _, what, start in log] == [
        (3, "commit", 1), (9, "result", 1), (9, "commit", 6), (15, "result", 6), (15, "commit", 12),
    ]  # fmt: skip


def test_figure_12_a_staleness() -> None:
    """Both kinds are measured on window ends: W1 from 3; W2, which closed at 4, stands from 9 until 15; W7
    from 15.
    """
    run, _ = run_one_key("lazy", 15)
    outcome = run.finish(15.0)
    application = 6 * 6 / 2 + (5 + 11) / 2 * 6
    queue = 0 + (9 - 4) ** 2 / 2 + (15 - 9) ** 2 / 2
    assert outcome.application_staleness == pytest.approx(application / 15)
    assert outcome.queue_staleness == pytest.approx(queue / 15)


def test_figure_12_b_eager() -> None:
    """W1's tuples are read 1..3, 3..5, 5..7: its result is out at 7, as the paper says; then W6 is the
    latest started.
    """
    _, log = run_one_key("eager", 14)
    assert [(at, what, start) for at, _, what, start in log] == [
        (1, "commit", 1), (7, "result", 1), (7, "commit", 6), (13, "result", 6), (13, "commit", 12),
    ]  # fmt: skip


def test_figure_12_b_staleness() -> None:
    """The window that closes at 4 invalidates the output given at 7: staleness falls to 3 there, not to 0."""
    run, _ = run_one_key("eager", 13)
    outcome = run.finish(13.0)
    application = (7 - 3) ** 2 / 2 + (3 + 9) / 2 * 6
    queue = (7 - 2) ** 2 / 2 + (13 - 7) ** 2 / 2  # a key waits from the starter at 2, then from the one at 7
    assert outcome.application_staleness == pytest.approx(application / 13)
    assert outcome.queue_staleness == pytest.approx(queue / 13)


def test_tumbling_windows_cost_eager_one_tuple_and_lazy_a_window() -> None:
    """Section 6.3.1: with C_t = 1, EAGER is stale for C_t after each close, LAZY for C_t times the window."""
    times = [float(at) for at in range(1, 401)]
    for size in (4, 10):
        spec = WindowSpec(size, size)
        eager = simulate_windows(trace(times, "k" * 400), spec, "eager", 1.0)
        lazy = simulate_windows(trace(times, "k" * 400), spec, "lazy", 1.0)
        assert eager.application_staleness == pytest.approx(0.5 / size, rel=0.05)
        assert lazy.application_staleness == pytest.approx(size / 2, rel=0.05)


def test_the_cost_formula_of_6_1_2() -> None:
    spec = WindowSpec(size=6, slide=2)
    assert spec.overlap == 3
    assert spec.cost(0.5) == 0.5 * (6 + 4 + 2)
    low, high = spec.cost_bounds(0.5)
    assert low <= spec.cost(0.5) <= high
    tumbling = WindowSpec(5, 5)
    assert tumbling.cost(2.0) == tumbling.cost_bounds(2.0)[0] == 10.0


@EXAMPLES
@given(st.integers(1, 12), st.integers(1, 12), st.floats(0.1, 10))
def test_the_cost_lies_within_its_bounds(size: int, slide: int, tuple_cost: float) -> None:
    if slide <= size:
        spec = WindowSpec(size, slide)
        low, high = spec.cost_bounds(tuple_cost)
        assert low - 1e-9 <= spec.cost(tuple_cost) <= high + 1e-9
        printed = (spec.overlap + 1) * tuple_cost * (size - spec.overlap / 2 * slide)
        if size % slide == 0:
            assert high == pytest.approx(printed)
        else:
            assert printed < spec.cost(tuple_cost)  # the paper's upper bound holds only for whole overlaps


@pytest.mark.parametrize(("size", "slide"), [(2, 3), (0, 1), (3, 0), (-1, -1)])
def test_a_window_that_cannot_be(size: float, slide: float) -> None:
    with pytest.raises(InputError):
        WindowSpec(size, slide)


gappy = st.sets(st.integers(0, 60), min_size=1, max_size=40).map(
    lambda ats: [float(at) for at in sorted(ats)]
)
specs = st.tuples(st.integers(1, 8), st.integers(1, 8)).filter(lambda s: s[1] <= s[0])


@EXAMPLES
@given(gappy, specs)
def test_marks_keep_windows_whole(ats: list[float], shape: tuple[int, int]) -> None:
    """Whatever window is committed to, the operator emits exactly that one, with all its tuples."""
    spec = WindowSpec(*shape)
    windows = OpenWindows(spec)
    for at in ats:
        for start in windows.arrive(at)[1]:
            held = [(t, t) for t in ats if spec.holds(start, t)]
            closer = [(at, at)] if not spec.holds(start, at) else []
            operator = Operator(spec)
            marked = mark(held + closer, start, ats[0], spec)
            results = [result for item in marked for result in operator.read(item)]
            assert results == [(start + spec.size, [t for t, _ in held])]
            assert sum(item.win_spec > 0 for item in marked) == 1


@EXAMPLES
@given(gappy, specs, st.sampled_from([0.3, 1.0, 2.5]), st.sampled_from(["lazy", "eager"]))
def test_a_window_buffer_holds_at_most_what_it_must(
    ats: list[float], shape: tuple[int, int], cost: float, semantics: str
) -> None:
    """EAGER: at most size + slide - 1 tuples besides those of the committed window; LAZY: one more window."""
    spec = WindowSpec(*shape)
    run = WindowRun(spec, semantics, cost)  # type: ignore[arg-type]
    run.feed(ats, [0] * len(ats), 1)
    assert run.memory.held_peak <= 3 * (spec.size + spec.slide)
    run.finish(ats[-1] + 1000)
    assert len(run.keys[0].buffer.tuples) <= spec.size + spec.slide - 1


@EXAMPLES
@given(gappy, specs, st.sampled_from([0.3, 1.0, 2.5]), st.sampled_from(["lazy", "eager"]))
def test_results_come_in_order_and_the_graph_is_kept(
    ats: list[float], shape: tuple[int, int], cost: float, semantics: str
) -> None:
    log: list[Event] = []
    run = WindowRun(WindowSpec(*shape), semantics, cost, log=log)  # type: ignore[arg-type]
    keys = [int(at) % 3 for at in ats]
    run.feed(ats, keys, 3)
    run.finish(ats[-1] + 1000)
    for key in range(3):
        events = [(what, start) for _, number, what, start in log if number == key]
        starts = [start for what, start in events if what == "result"]
        assert starts == sorted(set(starts))
        state = "done"
        after = {"commit": "busy", "idle": "idle", "ready": "busy", "result": "done"}
        for what, _ in events:
            assert (state, what) in {
                ("done", "commit"), ("busy", "idle"), ("busy", "result"), ("idle", "ready"),
            }  # fmt: skip
            state = after[what]
    if semantics == "lazy":
        assert not any(what in ("idle", "ready") for _, _, what, _ in log)
    assert all(KeyState.READY not in cell.states for cell in run.keys)


def test_a_gap_makes_an_eager_key_idle_and_a_tuple_makes_it_ready_again() -> None:
    log: list[Event] = []
    run = WindowRun(WindowSpec(10, 10), "eager", 1.0, log=log)
    run.feed([1.0, 5.0, 10.0], [0, 0, 0], 1)
    run.finish(20.0)
    assert [(at, what) for at, _, what, _ in log] == [
        (1, "commit"), (2, "idle"), (5, "ready"), (6, "idle"), (10, "ready"), (11, "result"),
    ]  # fmt: skip


def test_update_semantics_beat_append_and_random_window_shedding() -> None:
    times, spec = [float(at) for at in range(1, 301)], WindowSpec(5, 1)
    chunks = trace(times, "k" * 300)
    lazy = simulate_windows(chunks, spec, "lazy", 1.0).application_staleness
    eager = simulate_windows(chunks, spec, "eager", 1.0).application_staleness
    append = append_windows(chunks, spec, 1.0, 300.0)
    shed = append_windows(chunks, spec, 1.0, 300.0, keep=0.2)
    assert eager < lazy < shed < append


def test_windows_of_many_tuples_under_append_are_answered_one_by_one() -> None:
    """Size 2, slide 1, one tuple a second, a tenth of a second each: every window's result follows its
    close.
    """
    staleness = append_windows(trace([1.0, 2.0, 3.0], "kkk"), WindowSpec(2, 1), 0.1, 4.0)
    assert staleness == pytest.approx(2 * 0.2**2 / 2 / 4)
