"""The JSON of `headwater add` and `headwater drop`: its fields are a contract."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.serve.planning.changing import Added, Dropped

__all__ = ["added_json", "dropped_json", "priced"]


def added_json(done: Added) -> dict[str, Any]:
    return {
        "admitted": done.admitted,
        "added": bool(done.files),
        "views": [
            {
                "name": planned.view.name,
                "admitted": planned.estimate.admitted,
                "reason": planned.reason,
                "freshness_s": planned.view.freshness.total_seconds(),
                "critical_path_s": planned.estimate.critical_path.total_seconds(),
                "dollars_per_hour": planned.estimate.dollars_per_hour,
                "refresh": planned.refresh,
            }
            for planned in done.views
        ],
        "effects": [asdict(effect) for effect in done.effects],
        "broken": list(done.broken),
        "marginal_dollars_per_hour": done.dollars_per_hour if priced(done) else None,
        "files": [str(file) for file in done.files],
        "running": done.running,
        "rewoven": [asdict(change) for change in done.rewoven],
    }


def dropped_json(done: Dropped) -> dict[str, Any]:
    return {
        "view": done.view,
        "file": str(done.file),
        "file_deleted": done.file_deleted,
        "data": done.data,
        "leaves": list(done.leaves),
    }


def priced(done: Added) -> list[str]:
    """The views whose cost beside the others is known: a refused one is in no plan."""
    return [planned.view.name for planned in done.views if planned.estimate.admitted]
