"""Stages brought to a time level by level: as few Spark actions as possible, sites side by side.

What a level reads is done when the level begins.  Sites have work of their own in a level and wait for each
other only at its end; if one of them fails, the others' work of that level is done and stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from headwater.algebra.stages import Kept, Stage
from headwater.engine.foresight import Foresight
from headwater.engine.push import Job, Pushed, Pushing
from headwater.engine.together import Action

__all__ = ["Levels"]

MOST_SITES = 16  # at work at once, beside the one whose work the calling thread does

Done = tuple[Pushed, timedelta]  # with how long its action was expected to take


class Levels:
    def __init__(self, pushing: Pushing, foresight: Foresight) -> None:
        self.pushing, self.foresight = pushing, foresight
        self._pool = ThreadPoolExecutor(MOST_SITES, thread_name_prefix="site")

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
            action.add(jobs)
        yield from self._run(action)

    def _action(self, hints: bool) -> Action:
        return Action(self.pushing, hints, self.foresight.yields)

    def _jobs(self, level: Sequence[tuple[Kept, Stage]], target: int, action: Action) -> list[Job]:
        choose, promised = self.foresight.choose, action.promised
        return [self.pushing.job(kept, stage, target, choose, promised) for kept, stage in level]

    def _run(self, action: Action) -> Iterator[Done]:
        sites = action.sites()
        expected = [self.foresight.expected(jobs) for jobs in sites]
        others = [self._pool.submit(action.run, jobs) for jobs in sites[1:]]
        work: list[Callable[[], list[Pushed]]] = [
            *(lambda jobs=jobs: action.run(jobs) for jobs in sites[:1]),
            *(one.result for one in others),
        ]
        errors: list[Exception] = []
        for finish, spans in zip(work, expected, strict=True):
            try:
                done = finish()
            except Exception as error:  # noqa: BLE001 - raised when the other sites are done
                errors.append(error)
                continue
            self.foresight.learn(done)
            yield from ((pushed, spans.get(pushed.stage, timedelta())) for pushed in done)
        if errors:
            raise errors[0]

    def close(self) -> None:
        """Let what runs end."""
        self._pool.shutdown(wait=True, cancel_futures=True)
