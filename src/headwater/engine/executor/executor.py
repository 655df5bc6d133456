"""The executor: looks at the views, asks the scheduler what to push, has it done, and takes note of outcomes.

    step    collect what has ended -> look (look.py) -> decide (scheduling/schedule.py) -> start (runner.py)

One thread owns everything in here: the one that calls `step`.  Pushes run elsewhere (the Runner's threads)
and touch none of it; what became of them is collected at the next step.  A step is cheap while nothing ends
and no look is due.

If a push of several views fails, each of them is tried by itself: the culprit is shown, backs off and is
tried again; the others go on.  A view whose log cannot be read backs off in the same way and stops nobody
else.  If a row makes views fail, the outcome says which: only these back off.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.executor.look import Look, captured_up_to
from headwater.engine.executor.runner import (
    PlainTable,
    Publication,
    PublishOrder,
    PushOrder,
    PushOutcome,
    Runner,
)
from headwater.engine.executor.under_way import ExplanationUnderWay, PublicationUnderWay, PushUnderWay
from headwater.engine.executor.view_state import ViewState
from headwater.errors import brief
from headwater.scheduling.backoff import FIRST_RETRY
from headwater.scheduling.looks import pause
from headwater.scheduling.schedule import NEVER, Moment, Push, ViewNow, decide

__all__ = ["Executor", "Failed"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Failed:
    """A push that failed, for the record."""

    view: str
    after: int
    until: int
    attempt: int
    error: str
    trace: str = ""  # with its traceback


class Executor:
    def __init__(
        self,
        catalog: Catalog,
        runner: Runner,
        clock: Clock,
        on_failure: Callable[[Failed], None] = lambda failed: None,
    ) -> None:
        self.catalog = catalog
        self.runner = runner
        self.clock = clock
        self.states = {name: ViewState(name) for name in catalog.kept}
        self.watermarks: dict[str, int] = {}
        self.warm = False  # whether anything was computed since the start
        self.look_at = 0  # monotonic
        self.cancelled = False  # whether pushes under way are cancelled: their failures mean nothing
        self._on_failure = on_failure
        self._pushes: list[PushUnderWay] = []
        self._publications: list[PublicationUnderWay] = []
        self._explanations: list[ExplanationUnderWay] = []

    def step(self) -> None:
        """Take note of what has ended; start the pushes that are due. Cheap when there is neither."""
        self._collect()
        self._publish_what_is_due()
        if self.clock.monotonic() >= self.look_at:
            self._push_what_is_due()

    def next_at(self) -> int:
        """When a step may have something to do again, unless a push ends before; monotonic."""
        publications = (state.plain.publish_at for state in self.states.values() if not state.plain.running)
        return min((self.look_at, *(at for at in publications if at is not None)))

    # Decide

    def _push_what_is_due(self) -> None:
        moment = self._moment()
        never_computed = any(state.time == NEVER for state in self.states.values())
        if not moment.common_free and not (moment.first_free and never_computed):
            # The end of a push makes the next step look at once.
            self.look_at = moment.monotonic + pause(self._promises())
            return
        look = Look(self.catalog, self.runner, self.watermarks, moment)
        decision = decide(moment, self._views(look), look.forecast)
        self.look_at = decision.look_at
        for push in decision.pushes:
            self._start(push)

    def _moment(self) -> Moment:
        under_way = {push.order.first for push in self._pushes}
        return Moment(
            self.clock.now(),
            self.clock.monotonic(),
            first_free=True not in under_way,
            common_free=False not in under_way,
            warm=self.warm,
        )

    def _promises(self) -> Iterable[timedelta]:
        return (view.freshness for view in self.catalog.project.views.values())

    def _views(self, look: Look) -> list[ViewNow]:
        """All views but those whose files cannot be read; these back off."""
        views = []
        for state in self.states.values():
            try:
                views.append(look.view(state))
            except Exception as error:
                logger.warning("view %s cannot be looked at", state.name, exc_info=True)
                self._failed(state, error, self.target(state.name))
        return views

    def target(self, view: str) -> int:
        """The time up to which everything that a view depends on has been captured."""
        return captured_up_to(self.catalog, self.watermarks, view, self.clock.now())

    # Start

    def _start(self, push: Push) -> None:
        order = self._order(push.views, push.target, push.first)
        for name in push.views:
            self.states[name].running = True
        # Views that these read are brought to the same time on the way.
        for view in {kept.view for level in self.catalog.levels(push.views) for kept, _ in level}:
            if view in self.states:
                self.states[view].started(self.clock.monotonic(), self.target(view))
        self._pushes.append(PushUnderWay(order, self.runner.push(order), self.clock.monotonic()))

    def _order(self, views: Collection[str], target: int, first: bool = False) -> PushOrder:
        states = [self.states[name] for name in views]
        return PushOrder(
            frozenset(views),
            target,
            {name: self.target(name) for name in views},
            first,
            hints=all(state.failures == 0 for state in states),
            recompute=all(state.recompute_at <= self.clock.monotonic() for state in states),
            attempts={state.name: 1 + state.failures for state in states},
            publish=frozenset(name for name, state in self.states.items() if not state.plain.sure),
            skip=frozenset(name for name, state in self.states.items() if state.plain.waiting),
        )

    def _publish_what_is_due(self, at_once: bool = False) -> None:
        """Bring plain tables up to date, one at a time, that could not be within a push."""
        now = self.clock.monotonic()
        for name, state in self.states.items():
            plain = state.plain
            due = plain.publish_at is not None and (at_once or now >= plain.publish_at)
            if due and not self._publications:
                plain.running = True
                order = PublishOrder(name, plain.rewrite)
                self._publications.append(PublicationUnderWay(order, self.runner.publish(order), now))

    # Collect

    def _collect(self) -> None:
        """Take note of what has ended since the last step."""
        for push in [push for push in self._pushes if push.handle.done()]:
            self._pushes.remove(push)
            self._settle(push.order, push.handle.result(), push.started_at)
            self.look_at = 0
        for publication in [work for work in self._publications if work.handle.done()]:
            self._publications.remove(publication)
            self._settle_publication(publication)
        for explanation in [work for work in self._explanations if work.handle.done()]:
            self._explanations.remove(explanation)
            self._take_explanation(explanation)

    def _settle(self, order: PushOrder, outcome: PushOutcome, started_at: int) -> None:
        now = self.clock.monotonic()
        self.warm |= outcome.worked
        states = [self.states[name] for name in self.states if name in order.views]
        if outcome.error is None:
            for state in states:
                if (error := outcome.failed.get(state.name)) is None:
                    state.pushed(order.views, now)
                else:
                    self._poisoned(state, error, order, now - started_at)
        elif self.cancelled:
            logger.info("a push of %s was cancelled", ", ".join(sorted(order.views)))
        else:
            logger.warning("a push of %s failed", ", ".join(sorted(order.views)), exc_info=outcome.error)
            self.runner.suspect_sites()
            self._blame(states, outcome.error, order.target)
        for name, publication in outcome.published.items():
            if name in self.states:
                self._settle_plain(self.states[name], publication, order.target)

    def _blame(self, states: Collection[ViewState], error: Exception, target: int) -> None:
        """One view alone has failed; of several it is not known which, so each is tried by itself."""
        for state in states:
            if len(states) == 1:
                self._failed(state, error, target)
            else:
                state.suspected(error, self.clock.monotonic())

    def _failed(self, state: ViewState, error: Exception, target: int) -> None:
        state.failed(error, self.clock.monotonic())
        self._note_failure(state, target)

    def _poisoned(self, state: ViewState, error: Exception, order: PushOrder, took: int) -> None:
        """A row makes it fail: shown at once, and with the row as soon as that is found."""
        logger.warning("view %s cannot be computed: %s", state.name, error)
        state.poisoned(error, self.clock.monotonic(), took, order.recompute)
        self._note_failure(state, order.target)
        handle = self.runner.explain(error)
        self._explanations.append(ExplanationUnderWay(state.name, state.failures, order.target, handle))

    def _take_explanation(self, explanation: ExplanationUnderWay) -> None:
        state, error = self.states.get(explanation.view), explanation.handle.result()
        if state is not None and state.failures == explanation.failures and state.error != brief(error):
            logger.warning("view %s cannot be computed: %s", state.name, brief(error))
            state.blame(error)
            self._note_failure(state, explanation.target)

    def _note_failure(self, state: ViewState, target: int) -> None:
        self._on_failure(Failed(state.name, state.time, target, state.failures, state.error, state.trace))

    def _settle_publication(self, publication: PublicationUnderWay) -> None:
        state, now = self.states[publication.order.view], self.clock.monotonic()
        state.plain.running = False
        if publication.order.rewrite:
            state.plain.rewrite_took = now - publication.started_at
        self._settle_plain(state, publication.handle.result(), state.time)

    def _settle_plain(self, state: ViewState, publication: Publication, until: int) -> None:
        state.plain.settle(publication, self.clock.monotonic())
        if publication.state is PlainTable.FAILED:
            logger.warning("view %s could not be published", state.name, exc_info=publication.error)
            plain = state.plain
            self._on_failure(Failed(state.name, state.time, until, plain.failures, plain.error, plain.trace))

    # At once, for whoever waits

    def push_now(
        self,
        views: Iterable[str] | None = None,
        until: int | None = None,
        hints: bool = True,
        everything: bool = False,
    ) -> None:
        """Push views as far as their sources are captured, or until a time; waits, and raises what fails.

        `everything`: stages that choose have no budget.
        """
        targets = self.captured(self.catalog.kept if views is None else views)
        if not targets:
            return
        target = min(targets.values()) if until is None else until
        order = replace(self._order(targets.keys(), target), hints=hints, everything=everything)
        started_at = self.clock.monotonic()
        outcome = self.runner.push(order).result()
        self._settle(order, outcome, started_at)
        errors = [plain.error for plain in outcome.published.values() if plain.error is not None]
        explained = [explanation.handle.result() for explanation in self._explanations]
        self._collect()
        for error in (outcome.error, *explained, *errors):
            if error is not None:
                raise error

    def light_firsts(self) -> set[str]:
        """The views that were never computed, and for which there is little to read."""
        look = Look(self.catalog, self.runner, self.watermarks, self._moment())
        return {view.name for view in self._views(look) if view.light}

    def captured(self, views: Iterable[str]) -> dict[str, int]:
        """How far views can be pushed, without those whose sources were never captured."""
        return {name: target for name in views if (target := self.target(name)) > NEVER}

    def publish_now(self) -> None:
        """Bring all plain tables up to date that wait for it, and wait for that."""
        for _ in self.states:
            self._publish_what_is_due(at_once=True)
            for publication in self._publications:
                publication.handle.result()
            self._collect()

    # Change and end

    def adopt(self, catalog: Catalog) -> bool:
        """Keep another catalog's views from now on; views of both go on untouched.

        False, and nothing done, while a view that goes, or is kept in another way from now on, is being
        pushed: call again.  Such views start no push meanwhile.
        """
        same = {
            name for name, version in catalog.versions.items() if self.catalog.versions.get(name) == version
        }
        untouched = {
            name
            for name in same & self.catalog.kept.keys() & catalog.kept.keys()
            if catalog.levels([name]) == self.catalog.levels([name])
            and all(catalog.folder(of) == self.catalog.folder(of) for of in catalog.stages_under(name))
        }
        touched = [state for state in self.states.values() if state.name not in untouched]
        for state in touched:
            state.held_until = self.clock.monotonic() + micros(FIRST_RETRY)
        if any(state.running or state.plain.running for state in touched):
            return False
        self.catalog = catalog
        self.runner.adopt(catalog)
        self.states = {
            name: self.states[name] if name in same and name in self.states else ViewState(name)
            for name in catalog.kept
        }
        for state in self.states.values():
            state.held_until = 0
        self.look_at = 0
        return True

    def close(self) -> None:
        """Let running pushes end; start no others."""
        self.runner.close()
        self._collect()
