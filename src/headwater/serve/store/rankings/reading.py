"""Which of the refreshed windows answers a reader who says what time it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.bounds.plans.evaluate import evaluate
from headwater.serve.store.rankings.ranked_view import RankedView
from headwater.serve.store.rankings.record import Refresh

__all__ = ["epoch_asked"]


def epoch_asked(view: RankedView, last: Refresh, given: Mapping[str, Any]) -> Any:
    """The epoch of the reader's now; if no refresh has come to it yet, that of the newest one.

    A window that has nothing in common with the newest one is empty, and is not answered by it.
    """
    asked = evaluate(view.now, {}, given)
    if asked is None or last.newest is None:
        return asked
    return last.newest if last.newest < asked < last.newest + view.slots * view.step else asked
