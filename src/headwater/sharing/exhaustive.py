"""Every plan that the search could find, one by one: the yardstick for small cases.

All left-deep connected join sequences, all sites of every intermediate result, and the four cases of each
step: factorially many.  Nothing is shared with the search but the way graphs are built and priced, so that
the two can be compared.  A delta is not copied back to where it came from.

    at 3 inputs on 3 sites   up to    864 plans
    at 4 inputs on 3 sites   up to 41,472 plans
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from headwater.sharing.build import Move, build
from headwater.sharing.costs import Load
from headwater.sharing.price import dollars
from headwater.sharing.relations import Sharing
from headwater.sharing.search import Planned, check
from headwater.sharing.situation import Situation

__all__ = ["all_moves", "all_plans"]


def all_plans(
    sharing: Sharing, situation: Situation, taken: Mapping[str, Load] | None = None
) -> Iterator[Planned]:
    """Every plan with its price."""
    check(sharing, situation)
    for moves in all_moves(sharing, situation):
        graph = build(sharing, moves, situation)
        yield Planned(graph, dollars(graph, sharing, situation, taken))


def all_moves(sharing: Sharing, situation: Situation) -> Iterator[tuple[Move, ...]]:
    """The decisions of every plan."""
    for first in range(len(sharing.core.inputs)):
        home = situation.home(sharing.core.inputs[first])
        yield from _continued(sharing, situation, (Move(first, "", home),))


def _continued(sharing: Sharing, situation: Situation, moves: tuple[Move, ...]) -> Iterator[tuple[Move, ...]]:
    inputs = sharing.core.inputs
    if len(moves) == len(inputs):
        yield moves
        return
    last = len(moves) + 1 == len(inputs)
    source = moves[-1].result
    for at in _next(sharing, [move.input for move in moves]):
        home = situation.home(inputs[at])
        for result in (sharing.site,) if last else tuple(situation.sites):
            for where in dict.fromkeys(
                ("" if source != home else home, home, source, result, *(situation.sites if last else ()))
            ):
                if moves[-1].at == (where or home) != source:
                    continue
                yield from _continued(sharing, situation, (*moves, Move(at, where, result)))


def _next(sharing: Sharing, done: list[int]) -> list[int]:
    """Inputs that a condition connects with those that are joined already; if there are none, all others."""
    inputs = sharing.core.inputs
    left = [at for at in range(len(inputs)) if at not in done]
    linked = [
        at
        for at in left
        if any(sharing.connected(frozenset((inputs[at].name, inputs[one].name))) for one in done)
    ]
    return linked or left
