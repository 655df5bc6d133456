"""The earliest time as of which a stage that was never computed will be computed.

It needs no history before that time: what it reads may be merged or compacted up to there.  It is computed as
far as its sources are captured, so not before the least of their watermarks; if its computation is under way,
as of the time with which that began.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.catalog import Catalog
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.warehouse import Warehouse

__all__ = ["first_time"]


def first_time(catalog: Catalog, warehouse: Warehouse, stage: str, computing: Mapping[str, int]) -> int:
    """`computing`: the stages whose first computation is under way, with the times that they will have."""
    if stage in computing:
        return computing[stage]
    sources = {source for view in catalog.serves(stage) for source in catalog.below(view)}
    return min((warehouse.clock(source).last() or BEGINNING for source in sources), default=BEGINNING)
