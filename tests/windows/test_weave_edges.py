"""Edge rates are exact, for any set of windows."""

from __future__ import annotations

import pickle
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.planning.windows.edges import (
    NO_EDGES,
    edges_of_window,
    forget_edges,
    paired_window,
    union,
    union_of,
)
from headwater.planning.windows.residues import factor, implies, term
from support.cases import law
from support.window_density import bitset_density

windows = st.tuples(st.integers(1, 60), st.integers(1, 24))


def density_of(pairs: list[tuple[int, int]]) -> float:
    return union_of(edges_of_window(window, slide) for window, slide in pairs).density


@given(st.lists(windows, min_size=1, max_size=9).filter(lambda w: lcm(*(s for _, s in w)) <= 200_000))
@law(300)
def test_the_density_is_that_of_the_bit_set(pairs: list[tuple[int, int]]) -> None:
    assert density_of(pairs) == pytest.approx(float(bitset_density(pairs)), rel=1e-12)


@pytest.mark.parametrize("period", [720_720, 1_058_400])
@pytest.mark.parametrize("multiples", [True, False])
def test_two_hundred_divisors_of_a_long_composite_slide(period: int, multiples: bool) -> None:
    random = Random(period)
    divisors = [number for number in range(6, 2000) if period % number == 0]
    slides = [random.choice(divisors) for _ in range(200 if multiples else 40)]
    pairs = [(slide * 3 if multiples else random.randint(1, 9 * slide), slide) for slide in slides]
    assert density_of(pairs) == pytest.approx(float(bitset_density(pairs)), rel=1e-12)


def test_two_hundred_random_slides_agree_with_exact_integer_sieving() -> None:
    """The lcm has hundreds of digits. Oracle: Behrend's recursion over multiples, in fractions."""
    random = Random(7)
    slides = sorted({random.randint(30, 2000) for _ in range(200)})
    expected = _multiples(tuple(slides[::10]))
    assert density_of([(slide, slide) for slide in slides[::10]]) == pytest.approx(float(expected), rel=1e-12)
    assert 0 < density_of([(slide, slide) for slide in slides]) < 1


@cache
def _multiples(slides: tuple[int, ...]) -> Fraction:
    """The share of integers that some slide divides: add each slide's new multiples."""
    slides = tuple(s for s in sorted(set(slides)) if not any(s % other == 0 for other in slides if other < s))
    share = Fraction(0)
    for at, slide in enumerate(slides):
        before = tuple(sorted({other // gcd(other, slide) for other in slides[:at]}))
        share += Fraction(1, slide) * (1 - _multiples(before))
    return share


def test_rare_edges_keep_their_relative_precision() -> None:
    slides = [10**9 + 7, 10**9 + 9]
    expected = Fraction(1, slides[0]) + Fraction(1, slides[1]) - Fraction(1, slides[0] * slides[1])
    assert density_of([(slide, slide) for slide in slides]) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize(
    ("window", "slide", "lengths", "density"),
    [(6, 2, (0, 2), 1 / 2), (5, 3, (2, 1), 2 / 3), (3, 5, (3, 2), 2 / 5), (7, 1, (0, 1), 1.0)],
)
def test_paired_windows(window: int, slide: int, lengths: tuple[int, int], density: float) -> None:
    assert paired_window(window, slide) == lengths
    assert edges_of_window(window, slide).density == pytest.approx(density)


def test_contained_classes_are_dropped_and_equal_sets_are_one_object() -> None:
    fine, coarse = edges_of_window(4, 2), edges_of_window(8, 4)
    assert union(fine, coarse) is fine
    assert union(coarse, fine) is fine
    assert edges_of_window(9, 3) is edges_of_window(3, 3)
    assert pickle.loads(pickle.dumps(fine)) is fine
    assert union(NO_EDGES, fine) is fine


def test_forgetting_changes_no_answer() -> None:
    pairs = [(7, 6), (11, 10), (25, 15)]
    before = density_of(pairs)
    forget_edges()
    left = union(edges_of_window(7, 6), edges_of_window(11, 10))
    assert union(left, edges_of_window(25, 15)).density == before


@given(st.integers(1, 400), st.integers(1, 400), st.integers(0, 400), st.integers(0, 400))
@law(100)
def test_implies_is_containment_of_classes(m: int, n: int, a: int, b: int) -> None:
    contained = m % n == 0 and a % n == b % n
    assert implies(term(a % m, m), term(b % n, n)) is contained


def test_factor() -> None:
    assert factor(1) == ()
    assert factor(2**3 * 3 * 49) == ((2, 3), (3, 1), (7, 2))
    with pytest.raises(InputError, match="too large"):
        factor((10**9 + 7) * (10**9 + 9))
