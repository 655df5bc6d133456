"""The actions that `headwater plan` lists, beside those that a push records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from headwater.catalog import Catalog
from support.commands import answer

Listed = list[tuple[str, tuple[str, ...]]]  # the Spark and the stages of each action


def planned(folder: Path | str) -> Listed:
    """As `headwater plan --json` lists them."""
    return [(action["spark"], tuple(action["stages"])) for action in answer("plan", folder)["actions"]]


def recorded(pushed: Iterable[tuple[str, str]], catalog: Catalog) -> Listed:
    """From pairs of action and stage, in the order in which they were done; stages of one action share its id."""
    actions: dict[str, list[str]] = {}
    for action, stage in pushed:
        actions.setdefault(action, []).append(stage)
    return [(catalog.spark_of(stages[0]), tuple(stages)) for stages in actions.values()]


def changing(listed: Listed, done: Listed) -> Listed:
    """Without stages that had nothing to do, because what they read turned out not to change."""
    stages = {stage for _, names in done for stage in names}
    kept = ((spark, tuple(stage for stage in names if stage in stages)) for spark, names in listed)
    return [(spark, names) for spark, names in kept if names]
