"""When what a stage has seen of its sources was changed last: kept with each of its commits.

A source that was restored from a backup lacks that change, even where its clock was restored with it and new
changes have come since (engine/upkeep/sources/restored.py).
"""

from __future__ import annotations

from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace

__all__ = ["newest_seen", "seen_of"]


def seen_of(source: str) -> str:
    """The transaction that records it."""
    return f"headwater-seen-{source}"


def newest_seen(workplace: Workplace, job: Job) -> dict[str, int]:
    """By transaction, for a commit of the job's stage."""
    catalog = workplace.catalog
    read = {*job.reads, catalog.copies.get(job.name, job.name)} & catalog.project.tables.keys()
    return {seen_of(name): workplace.timeline_of(name).newest(job.until) for name in sorted(read)}
