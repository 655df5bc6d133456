"""A table whose updates may be chosen among, as views see it: a stage of its own between them and the
source.

    quotes            the source: every change that came
    quotes$shown      what views read: a timeline like any other
    quotes$waiting    what is not shown yet: for each key, the change from what is shown to what is

At every time  source = shown + waiting,  as Z-sets.  While a push has time for everything, nothing waits
and `shown` is the source: then the stage is an ordinary one whose plan reads the source, and its delta is
the source's.  Under overload a push moves only some keys from `waiting` to `shown`
(overload/updates/choosing, engine/push/choosing).

A view that must not miss anything (REFRESH EVERY CHANGE) reads the source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from headwater.algebra.plans.nodes import Plan, Scan
from headwater.algebra.plans.walks import rewrite_up, scan_rows
from headwater.algebra.stages.stage import Kept, Stage, StageKind

__all__ = ["choosing_stage", "own_column", "over_shown", "shown", "table_of", "waiting"]

_SHOWN = "$shown"
_WAITING = "$waiting"
_OWN = re.compile(r"_(first|last|updates|seen|at|part|changes|arrived|taken|worth|chosen|may|front|key\d+)")


def own_column(name: str) -> bool:
    """Whether a column of what waits, or of the query that chooses, is called so: no table's may be."""
    return _OWN.fullmatch(name.lower()) is not None


def shown(table: str) -> str:
    """The relation that views over the table read."""
    return table + _SHOWN


def waiting(table: str) -> str:
    return table + _WAITING


def table_of(relation: str) -> str:
    """The table that a relation shows; any other relation is itself."""
    return relation.removesuffix(_SHOWN)


def choosing_stage(table: str, columns: Sequence[str], types: Sequence[str]) -> Kept:
    """What is shown of a table, as it is kept."""
    plan = scan_rows(table, tuple(columns))
    stage = Stage(shown(table), StageKind.CHOOSING, plan.columns, plan, (table,))
    finish = scan_rows(stage.name, stage.columns)
    return Kept(stage.name, (stage,), finish, stage.columns, tuple(types), (table,))


def over_shown(kept: Kept, tables: Collection[str]) -> Kept:
    """The view over what is shown of some tables. The names in its SQL stay."""
    return replace(kept, stages=tuple(_over_shown(stage, tables) for stage in kept.stages))


def _over_shown(stage: Stage, tables: Collection[str]) -> Stage:
    def moved(node: Plan) -> Plan:
        if isinstance(node, Scan) and node.relation in tables:
            return replace(node, relation=shown(node.relation))
        return node

    reads = tuple(shown(name) if name in tables else name for name in stage.reads)
    return replace(stage, plan=None if stage.plan is None else rewrite_up(stage.plan, moved), reads=reads)
