"""An answer is exactly the fragments of its window, so an executor needs nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.planning.windows import (
    Fragment,
    Query,
    answer_fragments,
    answers,
    edges_between,
    fragments,
    tree_of,
)
from support.cases import law

queries = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 15)), min_size=1, max_size=5).map(
    lambda pairs: [Query(f"q{n}", window, slide) for n, (window, slide) in enumerate(pairs)]
)


def test_example_1_of_the_paper() -> None:
    first, second = Query("a", 6, 2), Query("b", 8, 4)
    tree = tree_of([first, second])
    assert list(edges_between(tree, 0, 8)) == [0, 2, 4, 6, 8]
    assert [(f.start, f.end) for f in answer_fragments(first, tree, 8)] == [(2, 4), (4, 6), (6, 8)]
    assert len(answer_fragments(second, tree, 8)) == 4


@given(queries, st.integers(1, 6))
@law(100)
def test_sums_of_fragments_are_sums_of_windows(asked: list[Query], number: int) -> None:
    tree = tree_of(asked)
    for query in asked:
        end = query.slide * (number + query.overlap)
        parts = answer_fragments(query, tree, end)
        assert parts[0].start == end - query.range
        assert parts[-1].end == end
        assert all(left.end == right.start for left, right in zip(parts, parts[1:], strict=False))
        assert sum(tick * tick for f in parts for tick in range(f.start + 1, f.end + 1)) == sum(
            tick * tick for tick in range(end - query.range + 1, end + 1)
        )


@given(queries)
@law(100)
def test_edges_are_as_frequent_as_the_density_says(asked: list[Query]) -> None:
    from math import lcm

    tree = tree_of(asked)
    period = lcm(*(query.slide for query in asked))
    if period <= 100_000:
        count = sum(1 for _ in edges_between(tree, 1, period))
        assert count == pytest.approx(tree.edges.density * period, rel=1e-9)
        assert sum(1 for _ in fragments(tree, 0, period)) == count


def test_answers_and_wrong_questions() -> None:
    query, other = Query("a", 5, 3), Query("b", 4, 4)
    assert list(answers(query, 0, 9)) == [3, 6, 9]
    assert list(answers(query, 3, 5)) == []
    assert answer_fragments(query, tree_of([query]), 6) == (Fragment(1, 3), Fragment(3, 4), Fragment(4, 6))
    with pytest.raises(InputError, match="no answer at 7"):
        answer_fragments(query, tree_of([query]), 7)
    with pytest.raises(InputError, match="not in this tree"):
        answer_fragments(other, tree_of([query]), 4)


def test_a_range_below_its_slide_reads_only_its_window() -> None:
    query = Query("gap", 2, 5)
    assert query.has_gaps
    assert query.overlap == 1
    assert answer_fragments(query, tree_of([query]), 10) == (Fragment(8, 10),)
