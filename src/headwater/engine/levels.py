"""Stages brought to a time level by level: as few Spark actions as possible, Sparks side by side.

What is copied from one site to another is copied first, as soon as it is there.  What is left of a level is
one action of each Spark that keeps some of it; sites that share a Spark share the action.  Sparks wait for
each other only at a level's end; if one of them fails, the others' work of that level is done and stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

from headwater.algebra.stages import Kept, Stage
from headwater.engine.foresight import Foresight
from headwater.engine.push import Job, Mode, Pushed, Pushing
from headwater.engine.together import Action

__all__ = ["Levels"]

MOST_AT_ONCE = 16  # copies, or Sparks beside the one that the calling thread waits for

Done = tuple[Pushed, timedelta]  # with how long its action was expected to take


class Levels:
    def __init__(self, pushing: Pushing, foresight: Foresight) -> None:
        self.pushing, self.foresight = pushing, foresight
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="levels")

    def push(
        self, levels: Sequence[Sequence[tuple[Kept, Stage]]], target: int, hints: bool
    ) -> Iterator[Done]:
        """Push stages; each is told of when it is done, also if a later one fails."""
        action = self._action(hints)
        for level in levels:
            jobs = self._jobs(level, target, action)
            if not action.takes(jobs):
                yield from self._run(action)
                action = self._action(hints)
                jobs = self._jobs(level, target, action)
            copies = [job for job in jobs if job.mode is Mode.COPY]
            yield from self._side_by_side([[job] for job in copies], lambda one: [self.pushing.run(one[0])])
            action.add([job for job in jobs if job.mode is not Mode.COPY])
        yield from self._run(action)

    def _action(self, hints: bool) -> Action:
        return Action(self.pushing, hints, self.foresight.yields)

    def _jobs(self, level: Sequence[tuple[Kept, Stage]], target: int, action: Action) -> list[Job]:
        choose, promised = self.foresight.choose, action.promised
        return [self.pushing.job(kept, stage, target, choose, promised) for kept, stage in level]

    def _run(self, action: Action) -> Iterator[Done]:
        return self._side_by_side(action.sparks(), action.run)

    def _side_by_side(
        self, parts: Sequence[Sequence[Job]], run: Callable[[Sequence[Job]], list[Pushed]]
    ) -> Iterator[Done]:
        """Run parts, the first in this thread; what can be done is done before a failure is raised."""
        expected = [self.foresight.expected(jobs) for jobs in parts]
        others = [self._pool.submit(run, jobs) for jobs in parts[1:]]
        work: list[Callable[[], list[Pushed]]] = [
            *(partial(run, jobs) for jobs in parts[:1]),
            *(one.result for one in others),
        ]
        errors: list[Exception] = []
        for finish, spans in zip(work, expected, strict=True):
            try:
                done = finish()
            except Exception as error:  # noqa: BLE001 - raised when the others are done
                errors.append(error)
                continue
            self.foresight.learn(done)
            yield from ((pushed, spans.get(pushed.stage, timedelta())) for pushed in done)
        if errors:
            raise errors[0]

    def close(self) -> None:
        """Let what runs end."""
        self._pool.shutdown(wait=True, cancel_futures=True)
