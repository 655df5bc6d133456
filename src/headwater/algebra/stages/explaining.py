"""How each node of a view is kept, in words: what is stored, what a change costs, what would be cheaper.

    v stores one row for each group
      Aggregate [city] [count(1)]      changes are added to the groups that they touch; the input is not read
        Join [o.cid = c.cid]           a change looks its partners up
          Scan orders o
          Scan customers c

The words follow the delta rules (delta/derive.py, delta/rules.py); they decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headwater.algebra.expressions.tree import Call, Expr, conjuncts
from headwater.algebra.expressions.types import is_exact
from headwater.algebra.moments.crossing import crossing, is_moving
from headwater.algebra.moments.plans import node_moves
from headwater.algebra.plans.nodes import (
    Aggregate,
    Explode,
    Filter,
    Join,
    OuterJoin,
    Over,
    Plan,
    Project,
    Scan,
    SemiJoin,
    Union,
    Windows,
)
from headwater.algebra.plans.walks import children
from headwater.algebra.stages.stage import Kept, Stage, StageKind
from headwater.algebra.stages.states import is_mergeable
from headwater.algebra.text.show import show_node

__all__ = ["KeptNode", "kept_nodes", "stored_words"]

_ALL_ROWS_EACH_TIME = "computed for all rows at every push, and written where it differs"


@dataclass(frozen=True, slots=True)
class KeptNode:
    """A node of a stage's plan: how a change passes it, and a rewrite that would be cheaper."""

    stage: str
    depth: int
    node: str
    how: str
    hint: str = ""


def stored_words(stage: Stage) -> str:
    """What a stage stores."""
    match stage.kind, stage.plan:
        case StageKind.SQL, _:
            return "the rows of its SQL, recomputed at every push that finds a change"
        case _, Aggregate(keys=()):
            return "one row"
        case _, Aggregate(aggregates=()):
            return "every different row"
        case _, Aggregate():
            return "one row for each group"
        case _, Project(Over(most=(_, count))):
            return f"the first {count} rows of each partition"
        case _, Project(Over()):
            return "every row, with its window functions"
        case _:
            return "its rows"


def kept_nodes(kept: Kept) -> Iterator[KeptNode]:
    """The nodes of all stages of a view, each stage from its top."""
    for stage in kept.stages:
        if stage.plan is not None:
            yield from _walked(stage, stage.plan, 0)


def _walked(stage: Stage, node: Plan, depth: int) -> Iterator[KeptNode]:
    how, hint = _words(stage, node)
    yield KeptNode(stage.name, depth, show_node(node), how, hint)
    for child in children(node):
        yield from _walked(stage, child, depth + 1)


def _words(stage: Stage, node: Plan) -> tuple[str, str]:
    match node:
        case Scan():
            return "its changes are read", ""
        case Filter():
            return _of_filter(node)
        case Project():
            if node_moves(node):
                return _ALL_ROWS_EACH_TIME, "compare with now() in WHERE: then only rows that cross are read"
            return "computed for the changes", ""
        case Windows() | Explode():
            return "several rows are made of each change", ""
        case Join():
            return _of_join(node)
        case OuterJoin() | SemiJoin():
            return _of_one_sided(node)
        case Union():
            return "the changes of its parts", ""
        case Aggregate():
            return _of_aggregate(stage, node)
        case Over():
            return _of_over(node)
        case _:
            return "", ""


def _of_filter(node: Filter) -> tuple[str, str]:
    moving = [part for part in conjuncts(node.condition) if is_moving(part)]
    if not moving:
        return "filters the changes", ""
    if any(_asks_all(part) for part in moving):
        return "filters the changes, and all rows for the time before and now", (
            "compare a column with now() by <, <=, > or >=: then only rows that cross are read"
        )
    return "filters the changes; as time passes, rows enter or leave by their times", ""


def _asks_all(part: Expr) -> bool:
    """Whether rows may both enter and leave by a condition: then all are asked, at both times."""
    between = isinstance(part, Call) and part.function == "between"
    return not between and None not in crossing(part)


def _of_join(node: Join) -> tuple[str, str]:
    if not any(isinstance(part, Call) and part.function == "eq" for part in node.conditions):
        return "a change is compared with all rows of the other inputs", (
            "an equality between the inputs would let a change look its partners up"
        )
    return "a change looks its partners up in the other inputs", ""


def _of_one_sided(node: OuterJoin | SemiJoin) -> tuple[str, str]:
    if not node.keys:
        return "joined anew as a whole when the other side changes", (
            "an equality between the sides would confine that to the keys of the change"
        )
    return "a change looks its partners up; rows whose keys change on the other side are joined anew", ""


def _of_aggregate(stage: Stage, node: Aggregate) -> tuple[str, str]:
    if stage.kind is StageKind.LINEAR:
        return "changes are added to the groups that they touch; the input is not read", ""
    sums = [call for call in node.aggregates if call.function in ("sum", "avg")]
    floats = [call.name for call in sums if not is_exact(call.type)]
    hint = (
        f"{', '.join(floats)}: CAST(x AS DECIMAL(p, s)) can be added, floats cannot without drifting"
        if floats
        else ""
    )
    if all(map(is_mergeable, node.aggregates)):
        return "new rows are merged; groups that lose a row are aggregated anew from the input", hint
    return "groups that a change touches are aggregated anew from the input", hint


def _of_over(node: Over) -> tuple[str, str]:
    if node.most is not None:
        return "new rows compete with those stored; where a stored one goes, its partition is ranked anew", ""
    if not node.partition:
        return "all rows are ranked anew at every change", "PARTITION BY would confine that to a partition"
    return "partitions that a change touches are ranked anew", ""
