"""The staleness that the bench of executed policies reports, against a sum over small steps of time."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.bench.updates.executed.mean_staleness import InOrder, MeanStaleness
from headwater.bench.updates.executed.traces import INSTANTS, PUSH_EVERY, zipf_trace


@pytest.mark.parametrize("per_push", [1.0, 7.5, 40.0])
def test_in_order_means_that_the_oldest_update_counts_that_is_not_shown(per_push: float) -> None:
    trace = zipf_trace(10, 0.9, 30, 6)
    staleness, in_order = MeanStaleness(trace.keys), InOrder(trace, per_push, whole_batches=False)
    pending: list[tuple[float, int]] = []
    capacity, shown, total, at = 0.0, 0, 0.0, 0.0
    for number, batch in enumerate(trace.batches, 1):
        oldest = {key: when for when, key in reversed(pending)}
        at += PUSH_EVERY / INSTANTS
        total += sum(at - when for when in oldest.values())  # at the end of a step, less half of its growth
        total -= len(oldest) * PUSH_EVERY / INSTANTS / 2
        pending += [(at, int(key)) for key in batch]
        staleness.arrive(batch, at)
        if number % INSTANTS == 0:
            capacity += per_push
            fits = int(capacity) - shown
            shown += min(fits, len(pending))
            pending = pending[fits:]
            in_order.push(staleness, at)
    expected = total * PUSH_EVERY / INSTANTS / at / trace.keys
    assert staleness.mean(at) == pytest.approx(expected)


def test_whole_batches_never_show_more() -> None:
    trace = zipf_trace(10, 0.9, 30, 6)
    for number in range(1, 6):
        exact, whole = (InOrder(trace, 4.0, whole_batches=whole) for whole in (False, True))
        for push in range(1, number + 1):
            now = push * PUSH_EVERY
            reached = [order.push(MeanStaleness(trace.keys), now) for order in (exact, whole)]
        assert reached[1] <= reached[0]
        assert whole.shown <= exact.shown
    assert np.unique(whole.at[: whole.shown]).size < np.unique(whole.at).size
