"""A plan over relations that are registered in the session under their names, as plain rows."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.algebra.plans.nodes import Plan, Scan
from headwater.engine.query import operators
from headwater.engine.query.estimates import BROADCAST_ROWS
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.engine.query.relations import Relations
from headwater.engine.query.writer import QueryWriter
from headwater.storage.timeline import WEIGHT, Range, Slice

__all__ = ["plain_rows"]


def plain_rows(plan: Plan, inputs: Inputs) -> Query:
    """The rows of a plan, each with weight 1."""
    query = QueryWriter(_Registered(), inputs, hints=False).query(plan)
    return operators.expand(query)


class _Registered(Relations):
    """Relations of which nothing is known but that they are there; every row counts once."""

    def __init__(self) -> None:
        self.netted = {}

    def part(self, scan: Scan, ranges: Sequence[Range] = ()) -> Slice:
        return _WHOLE

    def query(self, scan: Scan, inputs: Inputs, ranges: Sequence[Range] = ()) -> Query:
        items = [(f"{scan.alias}.{name}", quoted(name)) for name in scan.names]
        listed = ", ".join(f"{text} AS {quoted(name)}" for name, text in items)
        rows = ", ".join(part for part in (listed, f"1L AS {WEIGHT}") if part)
        return Query(f"(SELECT {rows} FROM {quoted(scan.relation)})", scan.columns)

    def stored_name(self, scan: Scan, name: str) -> str:
        return name


class _Whole(Slice):
    """Rows of unknown number, all with weight 1."""

    @property
    def rows(self) -> int:
        return 2 * BROADCAST_ROWS

    @property
    def empty(self) -> bool:
        return False

    @property
    def inserts_only(self) -> bool:
        return True


_WHOLE = _Whole((), 0, 0)
