"""One crash: a step is run until just before one of its effects, its process is killed, and what must hold is checked.

    as it is       sources hold what was accepted, the batch under way wholly or not at all; views and plain
                   tables are what their SQL says as of the times that their logs carry
    afterwards     a retry is accepted once; processes that saw nothing of the crash go on; a new run pushes,
                   compacts, vacuums and audits, and every view is what its SQL says of all that was accepted

The second part is done after some of the kills.  At some points another process works in between, and the step goes on or is
killed then; at some, the run that follows is killed as well.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from headwater.errors import HeadwaterError
from headwater.storage.warehouse import Warehouse
from support.crashes.accepted import Accepted
from support.crashes.checks import check_complete, check_letters, check_sources, check_views
from support.crashes.file_system import Blocked, Killed
from support.crashes.processes import WRITERS, Processes, Run, Writer
from support.crashes.scenario import Scenario
from support.crashes.steps import Append, Step, Work, random_append

__all__ = ["Broken", "crash_points", "full_disks", "power_cuts"]

GOING_ON = 0.1  # of the kills after which somebody goes on: that takes most of the time
BETWEEN = 0.05  # of the points at which another process works in between: each does its step again
AFTERWARDS = 1_000_000  # the number of a writer's first batch after a crash: no step has one so high


class Interruption(Enum):
    KILL = "killed"
    BETWEEN = "another process worked in between"
    BOTH = "another process worked in between, then killed"
    POWER = "cut off from power"
    FULL = "with a full disk"


class Broken(AssertionError):
    """What must hold does not; the message says after which crash."""


def crash_points(scenario: Scenario, step: Step, chance: random.Random) -> Iterator[str]:
    """Try every crash point of a step; yields the effect that each came before."""
    try:
        effects = scenario.effects_of(step)
    except Exception as error:
        raise Broken(f"seed {scenario.seed}, nobody interrupted: {step}") from error
    for number, effect in enumerate(effects, 1):
        with scenario.as_before(number) as accepted:
            Crash(scenario, step, accepted, chance).killed_before(number)
        yield effect
        if chance.random() < BETWEEN:
            with scenario.rewound() as accepted:
                interruption = chance.choice([Interruption.BETWEEN, Interruption.BOTH])
                yield Crash(scenario, step, accepted, chance).before(number, interruption) or ""


def full_disks(scenario: Scenario, step: Step, chance: random.Random) -> Iterator[str]:
    """Let the disk be full from each effect of a step on, until the step has ended."""
    number = 0
    while True:
        number += 1
        with scenario.rewound() as accepted:
            effect = Crash(scenario, step, accepted, chance).full_disk(number)
        if effect is None:
            return
        yield effect


def power_cuts(scenario: Scenario, step: Step, chance: random.Random) -> Iterator[str]:
    """Cut the power before every effect of a step, syncs included, and after it."""
    number = 0
    while True:
        number += 1
        with scenario.rewound() as accepted:
            effect = Crash(scenario, step, accepted, chance).power_cut(number)
        yield effect or "its end"
        if effect is None:
            return


@dataclass(slots=True)
class Crash:
    scenario: Scenario
    step: Step
    accepted: Accepted
    chance: random.Random

    def killed_before(self, number: int) -> None:
        """Check the folder as a kill before an effect leaves it."""
        try:
            started = self.scenario.opened()
            there = self._there(started)
            self._check_as_it_is(started, there)
            if self.chance.random() < GOING_ON:
                processes = self.scenario.start()
                try:
                    self._restart(processes, started)
                    self._retry(processes, there)
                    self._go_on(processes, started, [])
                finally:
                    processes.close()
        except Exception as error:
            raise Broken(self._told(number, Interruption.KILL)) from error
        finally:
            self.scenario.files.restart()

    def before(self, number: int, interruption: Interruption) -> str | None:
        """Interrupt the step before an effect, and check. The effect, or None if the step has fewer."""
        files, processes = self.scenario.files, self.scenario.start()
        waiting: list[Step] = []

        def interrupt() -> None:
            if interruption is not Interruption.KILL:
                other = self._other_step()
                try:
                    with files.another_process():
                        other.do(processes, self.accepted)
                except Blocked:
                    waiting.append(other)
            if interruption is not Interruption.BETWEEN:
                files.kill()

        files.stop_before(number, interrupt)
        try:
            killed = self._killed(processes)
            if len(files.trace) < number:
                return None
            effect = files.trace[number - 1]
            self._check(processes, killed, waiting)
        except Exception as error:
            raise Broken(self._told(number, interruption)) from error
        finally:
            files.restart()
            processes.close()
        return effect

    def power_cut(self, number: int) -> str | None:
        """Cut the power before an effect, or after the step, and check. The effect, if there is one."""
        scenario, processes = self.scenario, self.scenario.start()
        scenario.files.stop_before(number, scenario.files.kill)
        try:
            killed = self._killed(processes)
            effect = scenario.files.trace[number - 1] if killed else None
            scenario.files.cut_power(self.chance)
            self._check_from_the_disk(killed)
        except Exception as error:
            raise Broken(self._told(number, Interruption.POWER)) from error
        finally:
            processes.close()
        return effect

    def full_disk(self, number: int) -> str | None:
        """Do the step on a disk that is full from an effect on; who goes on afterwards has seen all of it."""
        files, processes = self.scenario.files, self.scenario.start()
        files.stop_before(number, files.fill)
        try:
            told = self._told_of_a_full_disk(processes)
            if len(files.trace) < number:
                return None
            effect = files.trace[number - 1]
            started = self.scenario.opened()
            if told and self._there(started):
                raise AssertionError(f"told as not stored, and stored: {told!r}")
            self._check_as_it_is(started, there=not told)
            if self.chance.random() < GOING_ON:
                self._go_on(processes, started, [self.step] if told else [])
        except Exception as error:
            raise Broken(self._told(number, Interruption.FULL)) from error
        finally:
            files.restart()
            processes.close()
        return effect

    def _told_of_a_full_disk(self, processes: Processes) -> Exception | None:
        """What whoever does the step is told, if it fails; the disk has room again afterwards."""
        try:
            self.step.do(processes, self.accepted)
        except (HeadwaterError, OSError) as error:
            return error if isinstance(self.step, Append) else None
        finally:
            self.scenario.files.restart()
        return None

    def _check_from_the_disk(self, killed: bool) -> None:
        """Nothing but the disk is left: no process has seen anything before."""
        scenario, started = self.scenario, self.scenario.opened()
        there = not killed or self._there(started)
        check_sources(started, self.accepted)
        processes = Processes.start(scenario.catalog, scenario.clock, scenario.opened)
        try:
            processes.run = Run.after_a_crash(scenario.catalog, started, scenario.clock)
            if killed:
                self._retry(processes, there)
            scenario.clock.advance(timedelta(seconds=1))
            Work("push").do(processes, self.accepted)
            check_complete(scenario.catalog, scenario.plain, scenario.opened(), self.accepted)
        finally:
            processes.close()

    def _killed(self, processes: Processes) -> bool:
        """Do the step; whether it was killed."""
        try:
            self.step.do(processes, self.accepted)
        except Killed:
            return True
        finally:
            self.scenario.files.restart()
        return False

    def _told(self, number: int, interruption: Interruption) -> str:
        steps = "\n".join(f"  {step}" for step in self.scenario.steps)
        return f"seed {self.scenario.seed}, {interruption.value} before effect {number} of the last step:\n{steps}"

    def _other_step(self) -> Step:
        """Of a process other than the step's: a batch of another writer; beside a writer, what a run does."""
        if isinstance(self.step, Append) and self.chance.random() < 0.5:
            return Work(self.chance.choice(["push", "push", "compact", "audit"]))
        return self._batch(AFTERWARDS)

    def _batch(self, number: int) -> Append:
        """A batch of a writer that does not do the step."""
        writer = 1 - self.step.writer if isinstance(self.step, Append) else self.chance.randrange(WRITERS)
        return random_append(self.chance, self.accepted, number, writer)

    # Afterwards

    def _check(self, processes: Processes, killed: bool, waiting: list[Step]) -> None:
        started = self.scenario.opened()
        there = not killed or self._there(started)
        self._check_as_it_is(started, there)
        if killed:
            self._restart(processes, started)
            self._retry(processes, there)
        self._go_on(processes, started, waiting)

    def _check_as_it_is(self, warehouse: Warehouse, there: bool) -> None:
        scenario = self.scenario
        check_sources(warehouse, self.accepted)
        check_views(scenario.catalog, scenario.plain, warehouse, self.accepted)
        under_way = self.step.wrong if isinstance(self.step, Append) and not there else 0
        check_letters(warehouse, self.accepted.rejected, self.accepted.rejected + under_way)

    def _go_on(self, processes: Processes, started: Warehouse, waiting: list[Step]) -> None:
        scenario = self.scenario
        scenario.clock.advance(timedelta(seconds=1))
        for step in waiting:
            step.do(processes, self.accepted)
        self._batch(AFTERWARDS + 1).do(processes, self.accepted)
        scenario.clock.advance(timedelta(seconds=1))
        self._run_on(processes)
        check_complete(scenario.catalog, scenario.plain, started, self.accepted)

    def _there(self, warehouse: Warehouse) -> bool:
        """Whether the batch that was under way is there, as its log says."""
        if not isinstance(self.step, Append):
            return True
        time = warehouse.source(self.step.table).time()
        if time > self.accepted.since(self.step.table):
            self.step.happened(self.accepted, time)
            return True
        return False

    def _restart(self, processes: Processes, started: Warehouse) -> None:
        """The killed process is started anew; the others have seen nothing."""
        scenario = self.scenario
        if isinstance(self.step, Append):
            processes.writers[self.step.writer] = Writer(scenario.catalog, started, scenario.clock)
        else:
            processes.run.close()
            processes.run = Run.after_a_crash(scenario.catalog, started, scenario.clock)

    def _retry(self, processes: Processes, there: bool) -> None:
        """A writer without a token cannot know, so it repeats only what is not there."""
        if isinstance(self.step, Append) and (self.step.token is not None or not there):
            self.step.do(processes, self.accepted)

    def _run_on(self, processes: Processes) -> None:
        """Push, compact, vacuum and audit; sometimes killed once on the way."""
        scenario = self.scenario
        if self.chance.random() < 0.2:
            scenario.files.stop_before(self.chance.randint(1, 40), scenario.files.kill)
        try:
            self._keep_house(processes)
        except Killed:
            scenario.files.restart()
            processes.run.close()
            processes.run = Run.after_a_crash(scenario.catalog, scenario.opened(), scenario.clock)
            self._keep_house(processes)
        finally:
            scenario.files.restart()

    def _keep_house(self, processes: Processes) -> None:
        Work("push").do(processes, self.accepted)
        for what in ("compact", "vacuum", "audit"):
            if self.chance.random() < 0.3:
                Work(what).do(processes, self.accepted)
