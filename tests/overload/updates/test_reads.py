"""Weights learnt from reads: they fade, are bounded, and favour what is read more."""

from __future__ import annotations

import random

import pytest

from headwater.overload.updates.choosing.reads import HALF_LIFE, MOST, Noted, Reads, learn_reads, weights

NOW = 1_000 * HALF_LIFE


def test_a_read_counts_half_after_its_half_life() -> None:
    reads = learn_reads(Reads(), [Noted(NOW, {("a",): 8.0}), Noted(NOW - HALF_LIFE, {("b",): 8.0})], NOW)
    assert reads.counts == {("a",): 8.0, ("b",): pytest.approx(4.0)}
    later = learn_reads(reads, [], NOW + 2 * HALF_LIFE)
    assert later.counts == {("a",): pytest.approx(2.0), ("b",): pytest.approx(1.0)}
    assert learn_reads(reads, [], NOW + 20 * HALF_LIFE).counts == {}


@pytest.mark.parametrize("seed", range(20))
def test_it_does_not_matter_in_how_many_steps_it_is_learnt(seed: int) -> None:
    chance = random.Random(seed)
    notes = [
        Noted(NOW + at * 7_000_000, {(str(chance.randrange(9)),): float(chance.randint(1, 5))})
        for at in range(40)
    ]
    end = notes[-1].at
    whole = learn_reads(Reads(), notes, end)
    in_steps = Reads()
    for note in notes:
        in_steps = learn_reads(in_steps, [note], note.at)
    assert whole.counts.keys() == in_steps.counts.keys()
    for key, count in whole.counts.items():
        assert in_steps.counts[key] == pytest.approx(count)


def test_only_the_keys_that_are_read_most_are_remembered() -> None:
    reads = learn_reads(Reads(), [Noted(NOW, {(str(n),): n + 1.0 for n in range(2 * MOST)})], NOW)
    assert len(reads.counts) == MOST
    assert min(reads.counts.values()) == MOST + 1


def test_a_clock_that_was_set_back_makes_nothing_larger() -> None:
    assert learn_reads(
        Reads(NOW, {("a",): 3.0}), [Noted(NOW + 5, {("a",): 1.0})], NOW - HALF_LIFE
    ).counts == {("a",): 4.0}


def test_weights_follow_reads_and_are_at_least_one() -> None:
    assert weights(Reads()) == {}
    assert weights(Reads(NOW, {("a",): 3.0})) == {("a",): 10.0}
    learnt = weights(Reads(NOW, {("a",): 30.0, ("b",): 10.0}))
    assert learnt == {("a",): pytest.approx(14.5), ("b",): pytest.approx(5.5)}
    skewed = weights(Reads(NOW, {(str(n),): 1.0 for n in range(9_999)} | {("hot",): 1e9}))
    assert skewed[("hot",)] == 1_000.0
    assert min(skewed.values()) >= 1.0
