"""The rows of a relation, each with a positive weight, without shuffling those that nothing took away.

    rows  =  (added without touched)  +  consolidated (added that are touched  +  mixed)

`added` are files that hold insertions only, mostly large; `mixed` are the others, mostly small.  Touched are
the rows with a key of which a change of `mixed` takes something away: these, and no others, may have to
cancel.  The keys are broadcast.  They need not be unique; without a key every column is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.engine.query import operators
from headwater.engine.query.query import Query, quoted, union
from headwater.storage.timeline import WEIGHT

__all__ = ["net_rows"]


def net_rows(added: Query, mixed: Query, key: Sequence[str] = ()) -> Query:
    """Of any two queries with the same columns, the first of which has positive weights."""
    key = key or added.columns
    kept, touched = _joined("ANTI", added, mixed, key), _joined("SEMI", added, mixed, key)
    return union([kept, operators.consolidate(union([touched, mixed]))])


def _joined(kind: str, added: Query, mixed: Query, key: Sequence[str]) -> Query:
    names = [f"_gone{at}" for at in range(len(key))]
    renamed = ", ".join(f"{quoted(old)} AS {new}" for old, new in zip(key, names, strict=True))
    gone = f"(SELECT {renamed or '1 AS _gone'} FROM {mixed.text} WHERE {WEIGHT} < 0)"
    same = " AND ".join(f"{quoted(old)} <=> {new}" for old, new in zip(key, names, strict=True))
    listed = ", ".join((*map(quoted, added.columns), WEIGHT))
    text = f"(SELECT /*+ BROADCAST(g) */ {listed} FROM {added.text} AS a LEFT {kind} JOIN {gone} AS g"
    return Query(f"{text} ON {same or 'true'})", added.columns)
