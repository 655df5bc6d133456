"""Parts of a relation: the join of some of its inputs, and whether those hang together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from headwater.algebra.expressions.tree import Expr, columns_of
from headwater.planning.relations.relations import Names, Relation, input_of

__all__ = ["is_connected", "names_of", "part", "splits"]


@lru_cache(maxsize=20_000)
def names_of(relation: Relation) -> Names:
    """`relation.names`, remembered: a search asks for them again and again."""
    return relation.names


@lru_cache(maxsize=20_000)
def part(relation: Relation, names: Names) -> Relation:
    """The join of some inputs of a relation, with every condition that concerns only those."""
    if names == relation.names:
        return relation
    groups = (tuple(column for column in group if input_of(column) in names) for group in relation.equal)
    return Relation(
        tuple(input for input in relation.inputs if input.name in names),
        tuple(group for group in groups if len(set(map(input_of, group))) > 1),
        tuple(condition for condition in relation.conditions if _inputs_of(condition) <= names),
    )


def is_connected(relation: Relation, names: Names) -> bool:
    """Whether conditions link all these inputs with each other: joining others would be a cross product."""
    if not names:
        return False
    links = [frozenset(map(input_of, group)) for group in relation.equal]
    links += [_inputs_of(condition) for condition in relation.conditions]
    reached, waiting = set(), [min(names)]
    while waiting:
        reached.add(name := waiting.pop())
        waiting += [other for link in links if name in link for other in (link & names) - reached]
    return reached == names


def splits(names: Names) -> Iterator[tuple[Names, Names]]:
    """All ways to split inputs in two, each once; the side with the first name comes first."""
    first, *others = sorted(names)
    for count in range(len(others)):
        for chosen in combinations(others, count):
            left = frozenset((first, *chosen))
            yield left, names - left


def _inputs_of(condition: Expr) -> Names:
    return frozenset(map(input_of, columns_of(condition)))
