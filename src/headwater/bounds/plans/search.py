"""Phase 0: the cheapest bounded plan of one block, over all join orders.

Dynamic programming over sets of sources.  A state is a plan for a set; it is extended by one more source
through every access path, and by a cut as soon as no later join can lose a row.  Of the states of a set the
cheapest few are kept (by operations, then rows read).

    twoTags with tags(docId, tag), at most K tags of a document:
      {t1} by tag = :tag1          no bound on the documents that carry a tag: no state
      {t2} likewise, {d} neither   so no bounded plan, and a view is looked for

Invariant: a state's bound holds for all data that satisfies the constraints.  Cost: about 2^n states for n
sources; with more than nine, only the twelve cheapest sets of each size are extended.
"""

from __future__ import annotations

from headwater.algebra.expressions.build import FALSE
from headwater.algebra.expressions.facts import aliases_of, is_value, parameters_of
from headwater.algebra.expressions.tree import Expr
from headwater.bounds.plans.block_search import BlockSearch, State
from headwater.bounds.plans.evaluate import NotExecutable, evaluate, is_true
from headwater.bounds.plans.extend import extend
from headwater.bounds.plans.plan import Bound, Start
from headwater.bounds.plans.subplans import BoundedPlan, Planner, filtered, subqueries_of
from headwater.bounds.query.block import Derived, Select
from headwater.bounds.query.settings import Settings

__all__ = ["search"]

_KEPT = 3  # states of a set that are kept
_EXHAUSTIVE = 9  # up to so many sources every set of them is extended
_WIDTH = 12  # beyond, so many sets of each size are

Level = dict[frozenset[str], list[State]]  # the states of all sets of one size


def search(block: Select, settings: Settings, plan_query: Planner, cuttable: bool) -> BoundedPlan | None:
    """The cheapest bounded plan of the block's sources and conditions; None if there is none.

    `cuttable`: the block's limit may be taken over joined rows (no grouping or DISTINCT stands between).
    """
    if any(map(_is_never_true, block.where)):  # WHERE 1 = 0, as ORMs ask for nothing
        return BoundedPlan(Start((FALSE,)), Bound(0, 0, 0))
    under_search = BlockSearch(block, settings, plan_query, cuttable)
    start = _start(under_search)
    level: Level = {} if start is None else {frozenset(): [start]}
    for _ in block.aliases:
        level = _next_level(under_search, level)
    states = [state for states in level.values() for state in states]
    best = min(states, key=_rank, default=None)
    return None if best is None else best.bounded


def _is_never_true(condition: Expr) -> bool:
    """Is it a constant that is false or NULL?"""
    if not is_value(condition) or parameters_of(condition):
        return False
    try:
        return not is_true(evaluate(condition, {}, {}))
    except NotExecutable:
        return False


def _start(search: BlockSearch) -> State | None:
    """Nothing read yet: conditions on parameters alone; None if a subquery in one has no bounded plan."""
    given = search.settings.given
    free = [condition for condition in search.block.where if aliases_of(condition) <= given]
    checks = tuple(dict.fromkeys((*search.classes.checks(given), *free)))
    plain = tuple(check for check in checks if not subqueries_of(check))
    bounded = BoundedPlan(Start(plain), Bound(0, 0, 1))
    for check in checks:
        if subqueries_of(check):
            extended = filtered(bounded, (check,), search.settings, search.plan_query)
            if extended is None:
                return None
            bounded = extended
    return State(bounded, frozenset())


def _next_level(search: BlockSearch, level: Level) -> Level:
    extended: Level = {}
    for states in level.values():
        for state in states:
            for alias in search.block.aliases:
                if alias not in state.done and _is_ready(search, state.done, alias):
                    for longer in extend(search, state, alias):
                        extended.setdefault(longer.done, []).append(longer)
    kept = {done: _cheapest(states) for done, states in extended.items()}
    if len(search.block.aliases) > _EXHAUSTIVE and kept:
        ranked = sorted(kept, key=lambda done: kept[done][0].bounded.cost)
        kept = {done: kept[done] for done in ranked[:_WIDTH]}
    return kept


def _is_ready(search: BlockSearch, done: frozenset[str], alias: str) -> bool:
    """An optional source comes after all that its conditions name, a LATERAL one after all that it reads."""
    join, source = search.block.left_join(alias), search.block.source(alias)
    given = done | {alias} | search.settings.given
    if isinstance(source, Derived) and not {column.alias for column in source.outer} <= given:
        return False
    return join is None or all(aliases_of(condition) <= given for condition in join.on)


def _cheapest(states: list[State]) -> list[State]:
    """The best few of a set: those cut already, and those not."""
    kept: list[State] = []
    for flag in (True, False):
        ranked = sorted((state for state in states if state.cut is flag), key=_rank)
        fewest_rows = sorted(ranked, key=lambda state: (state.bounded.bound.rows, _rank(state)))
        kept += list(dict.fromkeys([*ranked[:_KEPT], *fewest_rows[:1]]))
    return kept


def _rank(state: State) -> tuple[int, ...]:
    return (*state.bounded.cost, state.bounded.bound.rows)
