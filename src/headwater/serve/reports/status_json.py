"""The JSON of `headwater status`: its fields are a contract."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from headwater.clock import instant_text

if TYPE_CHECKING:
    from headwater.serve.reports.status import Status

__all__ = ["status_json"]


def status_json(current: Status) -> dict[str, Any]:
    answer = asdict(current)
    for relation in answer["views"] + answer["sources"]:
        relation["time"] = None if relation["time"] is None else instant_text(relation["time"])
    for view in answer["views"]:
        if view["last_push"] is not None:
            view["last_push"]["at"] = instant_text(view["last_push"]["at"])
    for source in answer["sources"]:
        source["waiting"] = [
            waiting | {"since": instant_text(waiting["since"])} for waiting in source["waiting"]
        ]
    for site in answer["sites"]:
        site |= {name: site[name] and instant_text(site[name]) for name in ("since", "last_seen")}
    for join in answer["joins"]:
        join["exact_since"] = join["exact_since"] and instant_text(join["exact_since"])
        for adaptation in join["adaptations"]:
            adaptation["at"] = instant_text(adaptation["at"])
    if current.store is not None and current.store.time is not None:
        answer["store"]["time"] = instant_text(current.store.time)
        for ranking in answer["store"]["rankings"]:
            ranking |= {name: instant_text(ranking[name]) for name in ("time", "refreshed_at")}
    answer["at"] = instant_text(current.at)
    return answer
