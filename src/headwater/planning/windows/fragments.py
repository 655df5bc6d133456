"""Fragments: what an executor computes between two edges, and which fragments make up an answer.

A tree folds the tuples between two neighbouring edges into one partial aggregate, a fragment (start, end].
Query q answers at every multiple of its slide; its answer at `end` is the final aggregate of exactly the
fragments inside (end - range, end], because both ends of the window are edges of the tree.

    Example 1 of the paper: q1 = range 6, slide 2; q2 = range 8, slide 4; together edges at 0, 2, 4, ...
    q1 at 8: (2, 4] (4, 6] (6, 8]          q2 at 8: (0, 2] (2, 4] (4, 6] (6, 8]

Cost: the edges of an interval are merged from the queries' own, so the composite slide is never listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge

from headwater.errors import InputError
from headwater.planning.windows.model import Query, Tree

__all__ = ["Fragment", "answer_fragments", "answers", "edges_between", "fragments"]


@dataclass(frozen=True, slots=True, order=True)
class Fragment:
    """The ticks after `start` up to and with `end`."""

    start: int
    end: int


def edges_between(tree: Tree, start: int, end: int) -> Iterator[int]:
    """The edges e of the tree with start <= e <= end, rising, each once."""
    classes = {
        (residue % query.slide, query.slide)
        for query in tree.queries
        for residue in (query.offset, query.offset - query.range)
    }
    runs = (range(start + (residue - start) % slide, end + 1, slide) for residue, slide in classes)
    last: int | None = None
    for edge in merge(*runs):
        if edge != last:
            yield edge
            last = edge


def fragments(tree: Tree, start: int, end: int) -> Iterator[Fragment]:
    """The fragments between the first and the last edge of [start, end]."""
    last: int | None = None
    for edge in edges_between(tree, start, end):
        if last is not None:
            yield Fragment(last, edge)
        last = edge


def answers(query: Query, start: int, end: int) -> range:
    """When the query answers, start < t <= end."""
    first = ((start - query.offset) // query.slide + 1) * query.slide + query.offset
    return range(first, end + 1, query.slide)


def answer_fragments(query: Query, tree: Tree, end: int) -> tuple[Fragment, ...]:
    """The fragments of the tree that the query's answer at `end` is made of, in order."""
    if query not in tree.queries:
        raise InputError("HW510", f'query "{query.id}" is not in this tree')
    if (end - query.offset) % query.slide:
        raise InputError("HW514", f'query "{query.id}" has no answer at {end}: its slide is {query.slide}')
    return tuple(fragments(tree, end - query.range, end))
