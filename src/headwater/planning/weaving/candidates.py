"""The views that could be woven, and why the others cannot.

A view can be woven if it is one aggregate over one stored relation (a table, another view, or a join that
several views share), if all its states can be merged, and if no row can make what it computes fail: what
views share must not fail for the sake of one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from headwater.algebra.expressions.tree import columns_of
from headwater.algebra.failures.can_fail import can_fail, type_of
from headwater.algebra.failures.plan_can_fail import types_in
from headwater.algebra.plans.nodes import Aggregate, Project
from headwater.algebra.stages.stage import Kept, Stage
from headwater.algebra.weaving.grouping import Grouping, grouping_of
from headwater.planning.relations.relations import Sharing
from headwater.planning.stages.compile import Compiled

__all__ = ["Candidate", "Candidates", "candidates_of"]

Types = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A view that could be woven: what it groups, where, and how often it is pushed at least."""

    view: str
    grouping: Grouping
    site: str
    freshness: float  # seconds

    @property
    def overlap(self) -> int:
        """How many groups a part goes into: one, or the windows that it lies in."""
        window = self.grouping.window
        return 1 if window is None else -(-window.size // window.slide)


@dataclass(frozen=True, slots=True)
class Candidates:
    woven: tuple[Candidate, ...]
    apart: Mapping[str, str]  # aggregates that cannot be woven, and why


def candidates_of(compiled: Compiled, sharings: Mapping[str, Sharing], types: Types) -> Candidates:
    """Which of the compiled views could be woven."""
    known = dict(types) | dict(_shared_types(compiled, types))
    candidates: list[Candidate] = []
    apart: dict[str, str] = {}
    for name, kept in compiled.kept.items():
        stage = kept.stages[-1]
        if name not in sharings or not isinstance(stage.plan, Aggregate):
            continue
        grouping = _grouping(kept, stage, known)
        if isinstance(grouping, str):
            apart[name] = grouping
        else:
            sharing = sharings[name]
            freshness = sharing.freshness.total_seconds()
            candidates.append(Candidate(name, grouping, compiled.sites.get(name, sharing.site), freshness))
    return Candidates(tuple(candidates), apart)


def _shared_types(compiled: Compiled, types: Types) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The types of the columns of shared stages, as far as their plans tell."""
    for name, kept in compiled.shared.items():
        plan = kept.stages[-1].plan
        if isinstance(plan, Project):
            below = types_in(plan, lambda relation: types.get(relation, {}))[plan]
            yield name, {column: type_of(expr, below) for column, expr in plan.items}


def _grouping(kept: Kept, stage: Stage, types: Types) -> Grouping | str:
    if kept.outlives:
        return "it keeps what it made of rows that its source drops"
    if len(kept.stages) > 1:
        return "it is an aggregate of aggregates"
    grouping = grouping_of(stage)
    if isinstance(grouping, str):
        return grouping
    own = {f"{grouping.relation}.{name}": kind for name, kind in types.get(grouping.relation, {}).items()}
    window = grouping.window
    if window is not None and type_of(window.time, own) not in ("timestamp", "timestamp_ltz"):
        return "its windows are of a time that is not a TIMESTAMP"
    column = "" if window is None else window.column
    if any(can_fail(expr, own) for expr in grouping.expressions() if column not in columns_of(expr)):
        return "a row could make something that it computes fail"
    return grouping
