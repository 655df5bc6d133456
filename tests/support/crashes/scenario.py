"""A short life of a small project: random steps of writers and a run, each with every crash point tried.

Before each step the folder is saved; each crash (crash.py) starts from there, or from a state on the way (states.py).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from headwater.catalog import Catalog
from headwater.clock import ManualClock
from headwater.serve.planning.shared_catalog import shared_catalog
from headwater.storage.warehouse import Warehouse
from support.crashes.accepted import Accepted
from support.crashes.file_system import FileSystem
from support.crashes.processes import Processes, look, reopened
from support.crashes.states import States
from support.crashes.steps import Step, random_step
from support.random_projects import SITES, random_project

__all__ = ["Scenario"]

TWO_HOURS = 7_200  # what lies back so far may be vacuumed


@dataclass(slots=True)
class Scenario:
    folder: Path
    seed: int
    files: FileSystem
    plain: Catalog  # each view by itself
    catalog: Catalog  # as a run keeps it
    clock: ManualClock
    accepted: Accepted
    power_cuts: bool = False  # they damage files that are there, so each crash needs its own
    steps: list[Step] = field(default_factory=list)
    states: States = field(init=False)
    _before: Warehouse = field(init=False)  # with the logs as they were before the last step

    def __post_init__(self) -> None:
        self.states = States(self.folder, self.files, age_s=TWO_HOURS)

    @classmethod
    def begin(cls, folder: Path, seed: int, files: FileSystem) -> Scenario:
        folder.mkdir(parents=True, exist_ok=True)
        sites = (SITES[0], SITES[0], SITES[1])  # at one site, mostly: copies take their time
        project = random_project(folder, seed, (1, 2), (1, 3), sites)
        catalog = shared_catalog(project.catalog, project.warehouse)
        assert isinstance(project.clock, ManualClock)
        accepted = Accepted({table: [(0, {})] for table in project.project.tables})
        return cls(folder, seed, files, project.catalog, catalog, project.clock, accepted)

    def opened(self) -> Warehouse:
        """As a process finds it that starts now."""
        return Warehouse(self.plain.project.storage, dict(self.catalog.storage_roots()))

    def start(self) -> Processes:
        """All processes, as they were before the step."""
        return Processes.start(self.catalog, self.clock, lambda: reopened(self._before))

    def next_step(self, chance: random.Random) -> Step:
        """A random step that can be done now; the folder is saved as it is before it."""
        self.clock.advance(timedelta(seconds=1))
        step = random_step(chance, self.accepted, len(self.steps) + 1, tuple(self.plain.kept))
        self.steps.append(step)
        self.states.save()
        self._before = self.opened()
        look(self.catalog, self._before)
        return step

    def take(self, step: Step) -> None:
        """Do a step from where the folder was saved: the life goes on."""
        self.restore()
        processes = self.start()
        try:
            step.do(processes, self.accepted)
        finally:
            processes.close()

    # The folder before a step, and before each of its effects

    def effects_of(self, step: Step) -> list[str]:
        """Do a step, keeping the folder as it is before each of its effects; `as_before` brings them back."""
        with self.rewound() as accepted, self.states.watched():
            processes = self.start()
            try:
                step.do(processes, accepted)
            finally:
                processes.close()
            return list(self.files.trace)

    @contextmanager
    def as_before(self, number: int) -> Iterator[Accepted]:
        """The folder as it was before an effect of the step; once for each."""
        now = self.clock.now()
        self.states.as_before(number)
        yield self.accepted.copy()
        self.clock.advance(timedelta(microseconds=now - self.clock.now()))

    def restore(self) -> None:
        """The folder as it was before the step; nothing of it is younger than two hours."""
        self.states.restore(linked=not self.power_cuts)

    @contextmanager
    def rewound(self) -> Iterator[Accepted]:
        """What is done in here is undone: folder, clock and what was accepted."""
        now = self.clock.now()
        self.restore()
        yield self.accepted.copy()
        self.clock.advance(timedelta(microseconds=now - self.clock.now()))
