"""Views of some of a query's sources, read in two steps: for each row of the others, then, the view."""

from __future__ import annotations

from itertools import combinations

from headwater.algebra.expressions.facts import aliases_of
from headwater.bounds.query.block import Select

__all__ = ["partial_choices"]

_MOST_SOURCES = 5  # of a query that views of parts are looked for


def partial_choices(block: Select) -> list[frozenset[str]]:
    """Sets of sources whose view is joined with the others when it is read, though those may drop rows.

        follows f JOIN posts p ON p.author = f.b JOIN tags t ON t.post = p.id
        WHERE f.a = :me AND t.tag = :tag ORDER BY p.at DESC LIMIT 20

    No view of all three can be kept (a new follower brings any number of posts); one of {p, t} by tag,
    author and time can, and it is read for each of those whom I follow, if their number is limited.
    """
    if (
        block.group is not None
        or block.distinct
        or block.left_joins
        or not 2 < len(block.sources) <= _MOST_SOURCES
    ):
        return []
    names = sorted(block.aliases)
    sizes = range(len(names) - 1, 1, -1)
    subsets = (frozenset(subset) for size in sizes for subset in combinations(names, size))
    return [subset for subset in subsets if _is_connected(block, subset)]


def _is_connected(block: Select, subset: frozenset[str]) -> bool:
    reached = {min(subset)}
    for _ in subset:
        for condition in block.where:
            named = aliases_of(condition)
            if named <= subset and named & reached:
                reached |= named
    return reached == subset
