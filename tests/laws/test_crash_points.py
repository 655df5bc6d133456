"""Whoever is killed between whichever two writes: nothing accepted is lost or doubled, no view is wrong, nothing is stuck."""

from __future__ import annotations

import itertools
import json
import logging
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.dead_letters import write_dead_letters
from headwater.capture.intake import append
from headwater.capture.intake.token import Token
from headwater.engine.push import gathering, pusher
from headwater.engine.upkeep import compaction
from headwater.storage import published
from headwater.storage.delta import checkpoints, delta_log
from headwater.storage.delta.delta_log import DeltaLog
from headwater.storage.delta.log_commits import log_file
from support.cases import scaled
from support.crashes.crash import Broken, crash_points, full_disks, power_cuts
from support.crashes.file_system import FileSystem
from support.crashes.patches import patched
from support.crashes.scenario import TWO_HOURS, Scenario
from support.crashes.scratch import scratch_folder
from support.crashes.steps import Step
from support.without_spark import run_without_spark

pytestmark = pytest.mark.slow

POINTS = 2_100  # at least so many are tried
PARTS = 6
STEPS = 8
POWER_CUTS = 1
FULL_DISKS = 1


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Checkpoints, merging and vacuum after a few commits, and the evaluator in Spark's place."""
    monkeypatch.setattr(pusher, "run_action", run_without_spark)
    monkeypatch.setattr(checkpoints, "CHECKPOINT_EVERY", 6)
    monkeypatch.setattr(gathering, "FEW", 2)
    monkeypatch.setattr(compaction, "MANY_FILES", 3)
    monkeypatch.setattr(compaction, "MANY_UNREAD", 4)
    monkeypatch.setattr(published, "MANY_SMALL_FILES", 3)
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() - TWO_HOURS * 1_000_000_000)
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with scratch_folder(tmp_path) as folder:
        yield folder


@pytest.mark.parametrize("part", range(PARTS))
def test_every_crash_point(part: int, folder: Path) -> None:
    """Scenario after scenario, until a part of the points was tried."""
    points, seeds = 0, itertools.count(part, PARTS)
    while points < scaled(POINTS) // PARTS:
        points += crash_everywhere(folder / str(seed := next(seeds)), seed, STEPS)
    print(f"part {part}: {points} crash points")


@pytest.mark.parametrize("seed", range(scaled(POWER_CUTS)))
def test_power_cuts(seed: int, folder: Path) -> None:
    """What was accepted outlasts them; what views need is computed anew where it does not."""
    assert crash_everywhere(folder, seed + 1, STEPS // 3, power_cuts) > STEPS


@pytest.mark.parametrize("seed", range(scaled(FULL_DISKS)))
def test_full_disks(seed: int, folder: Path) -> None:
    """What is told as not stored is not, so that it can be sent again; who goes on afterwards is not confused."""
    assert crash_everywhere(folder, seed + 1, STEPS // 2, full_disks) > STEPS


Crashes = Callable[[Scenario, Step, random.Random], Iterator[str]]


def crash_everywhere(folder: Path, seed: int, steps: int, crashes: Crashes = crash_points) -> int:
    """Every crash point of a scenario; returns how many there were."""
    chance, points = random.Random(seed), 0
    with patched(FileSystem(str(folder), syncs_count=crashes is power_cuts)) as files:
        scenario = Scenario.begin(folder, seed, files)
        scenario.power_cuts = crashes is power_cuts
        for _ in range(steps):
            step = scenario.next_step(chance)
            points += len(list(crashes(scenario, step, chance)))
            scenario.take(step)
    return points


# The law is worth what it finds: each protection is taken away, and a crash must break something.


def commit_in_place(patch: pytest.MonkeyPatch) -> None:
    """A version is written under its own name, not linked when it is complete."""

    def write(table: str, version: int, actions: Iterator[Mapping[str, Any]], *_: object) -> bool:
        with open(log_file(table, version), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(action) + "\n" for action in actions)
        return True

    patch.setattr(delta_log, "write_commit", write)


def letters_without_tokens(patch: pytest.MonkeyPatch) -> None:
    """Dead letters are written again when a batch is retried."""
    patch.setattr(
        append, "write_dead_letters", lambda warehouse, table, rejected, clock, _: write_dead_letters(warehouse, table, rejected, clock)
    )  # fmt: skip


def forgotten_tokens(patch: pytest.MonkeyPatch) -> None:
    """A retry is not recognised."""
    patch.setattr(Token, "recorded", lambda *_: None)


def any_folder_is_a_table(patch: pytest.MonkeyPatch) -> None:
    """A log without a version counts as a table."""
    patch.setattr(delta_log, "has_versions", lambda path: os.path.isdir(os.path.join(path, "_delta_log")))


def removed_before_added(patch: pytest.MonkeyPatch) -> None:
    """Files are replaced in two commits."""
    rewrite = delta_log.DeltaLog.rewrite

    def twice(self: DeltaLog, added: Any, removed: Any, transactions: Any) -> bool:
        return rewrite(self, (), removed, {}) and rewrite(self, added, (), transactions)

    patch.setattr(delta_log.DeltaLog, "rewrite", twice)


# A mutation may need minutes until it is found; HEADWATER_LAWS=5 tries all.
MUTATIONS = [
    any_folder_is_a_table, commit_in_place, letters_without_tokens, forgotten_tokens, removed_before_added,
]  # fmt: skip


@pytest.mark.parametrize("mutation", MUTATIONS[: scaled(1)])
def test_the_law_finds_what_protects_it(
    mutation: Callable[[pytest.MonkeyPatch], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutation(monkeypatch)
    with pytest.raises(Broken):
        all(crash_everywhere(folder / str(seed), seed, STEPS) for seed in range(10))
