"""What the executor has started and not yet collected: pushes, publications, searches for failing rows."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.engine.executor.runner import Handle, Publication, PublishOrder, PushOrder, PushOutcome

__all__ = ["ExplanationUnderWay", "PublicationUnderWay", "PushUnderWay"]


@dataclass(slots=True)
class PushUnderWay:
    order: PushOrder
    handle: Handle[PushOutcome]
    started_at: int


@dataclass(slots=True)
class ExplanationUnderWay:
    """The search for the row behind the `failures`-th failure of a view, in a push to `target`."""

    view: str
    failures: int
    target: int
    handle: Handle[Exception]


@dataclass(slots=True)
class PublicationUnderWay:
    order: PublishOrder
    handle: Handle[Publication]
    started_at: int
