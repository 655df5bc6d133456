"""The seconds that a stage adds to its action, fixed and for its rows, by the models of its operators.

A stage is a plan; its shape is the number of joins, aggregates and lookups of partners (outer joins,
semi-joins) in it.  The delta of a join has a half for each side.  The same shape predicts a push before
anything has run, from the rows expected, and afterwards, from the rows counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple

from headwater.algebra.plans.nodes import Aggregate, Join, OuterJoin, Plan, SemiJoin, Windows
from headwater.algebra.plans.walks import nodes
from headwater.algebra.stages.stage import Stage
from headwater.planning.cost.effort import Effort
from headwater.planning.cost.operators import OperatorModel, Operators
from headwater.planning.graph.graph import EdgeKind

__all__ = [
    "Seconds",
    "Shape",
    "choice_seconds",
    "copy_seconds",
    "delta_seconds",
    "recompute_seconds",
    "shape_of",
]


# Most recomputed rows equal the stored ones, and cost this many times less than a change
# (`headwater bench push`: five million rows in five seconds).
MOSTLY_UNCHANGED = 6


# A choice runs Spark for counting the keys, for choosing among them and for writing.
RUNS_OF_A_CHOICE = 3


class Seconds(NamedTuple):
    """A part that does not depend on rows, and one that does."""

    fixed: float
    rows: float

    def plus(self, other: Seconds) -> Seconds:
        return Seconds(self.fixed + other.fixed, self.rows + other.rows)


@dataclass(frozen=True, slots=True)
class Shape:
    """How many operators of each kind a stage's plan has; SQL that only Spark understands has none."""

    joins: int = 0
    aggregates: int = 0
    lookups: int = 0
    windows: int = 1  # that a row falls into

    @property
    def kind(self) -> EdgeKind:
        """The operator that decides what a row costs."""
        if self.aggregates:
            return EdgeKind.AGGREGATE
        return EdgeKind.COMPUTE if self.lookups else EdgeKind.JOIN


def shape_of(stage: Stage) -> Shape:
    return Shape(lookups=1) if stage.plan is None else _shape(stage.plan)


@lru_cache(maxsize=2_000)
def _shape(plan: Plan) -> Shape:
    operators = list(nodes(plan))
    return Shape(
        sum(len(node.inputs) - 1 for node in operators if isinstance(node, Join)),
        sum(isinstance(node, Aggregate) for node in operators),
        sum(isinstance(node, OuterJoin | SemiJoin) for node in operators),
        prod(max(1, -(-node.size // node.slide)) for node in operators if isinstance(node, Windows)),
    )


def delta_seconds(shape: Shape, effort: Effort, operators: Operators, site: str) -> Seconds:
    """The seconds of pushing a stage by its delta."""
    model = operators.models[shape.kind]
    if shape.kind is EdgeKind.JOIN:
        # Changes without a partner are only read, which is much cheaper than what is written.
        tuples, scanned = effort.result, effort.changed + effort.scanned
    else:
        # A change that goes into many windows is copied for each, which costs as much as reading a row.
        copies = effort.changed * (shape.windows - 1)
        tuples, scanned = max(effort.changed, effort.result), effort.scanned + copies
    return _at(operators, site, _fixed(shape, operators), _rows(model, tuples, scanned))


def recompute_seconds(shape: Shape, effort: Effort, operators: Operators, site: str) -> Seconds:
    """The seconds of recomputing a stage, and of storing the difference if something is stored already."""
    model = operators.models[EdgeKind.COMPUTE]
    fixed = _fixed(shape, operators) + model.fixed
    rows = _rows(model, effort.result / MOSTLY_UNCHANGED, (effort.changed + effort.scanned) * shape.windows)
    return _at(operators, site, fixed, rows)


def choice_seconds(effort: Effort, operators: Operators, site: str) -> Seconds:
    """The seconds of a choice among updates: what waits and arrived, grouped by key; what is shown, written.

    Of its rows only those shown are up to the budget.  The others count as fixed, so that lessons tell the
    two apart: else a stage that chooses would not learn what it saves by showing less.
    """
    model, group = operators.models[EdgeKind.JOIN], operators.models[EdgeKind.AGGREGATE]
    fixed = (RUNS_OF_A_CHOICE - 1) * operators.action + 2 * group.fixed
    grouped = _rows(group, (effort.changed + effort.scanned) / 2, effort.changed + effort.scanned)
    return _at(operators, site, fixed + grouped, _rows(model, effort.result, 0))


def copy_seconds(effort: Effort, operators: Operators, site: str) -> Seconds:
    model = operators.models[EdgeKind.COPY]
    return _at(operators, site, model.fixed, _rows(model, effort.changed, 0))


def _fixed(shape: Shape, operators: Operators) -> float:
    """The part of a stage that does not depend on rows; a plan asks for few shapes, thousands of times."""
    known = operators.fixed_parts.get(shape)
    if known is None:
        known = operators.fixed_parts[shape] = _fixed_part(shape, operators.models)
    return known


def _fixed_part(shape: Shape, models: Mapping[EdgeKind, OperatorModel]) -> float:
    a_join = 2 * models[EdgeKind.JOIN].fixed + models[EdgeKind.UNION].fixed
    computed = (
        shape.joins * a_join
        + shape.aggregates * models[EdgeKind.AGGREGATE].fixed
        + shape.lookups * models[EdgeKind.COMPUTE].fixed
    )
    return max(computed, models[EdgeKind.JOIN].fixed) + models[EdgeKind.APPLY].fixed


def _rows(model: OperatorModel, tuples: float, scanned: float) -> float:
    return model.per_tuple * tuples + model.per_scanned * scanned


def _at(operators: Operators, site: str, fixed: float, rows: float) -> Seconds:
    speed = operators.speeds.get(site, 1.0)
    return Seconds(fixed / speed, rows / speed)
