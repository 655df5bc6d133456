"""One look for all who listen: a value is made again and again while anybody follows it, and told when it
differs.

Ten who listen cost about as much as one: the look is taken once, in a thread of its own, its text is made
once, and between two changes nobody is woken but to see whether the connection still lives.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool

__all__ = ["Broadcast"]


State = tuple[object, str]  # what tells whether anything has changed, and the text to tell then


class Broadcast:
    """Everything here runs in one event loop; only `look` is called elsewhere."""

    def __init__(
        self, look: Callable[[], State], every_s: float, quiet_s: float, ended: Callable[[], bool]
    ) -> None:
        self._look, self._every_s, self._quiet_s, self._ended = look, every_s, quiet_s, ended
        self._listeners = 0
        self._looking: asyncio.Task[None] | None = None
        self._news: asyncio.Future[State] | None = None

    async def once(self) -> str:
        return (await run_in_threadpool(self._look))[1]

    async def follow(self) -> AsyncIterator[str]:
        """The text as it is now, then whenever it has changed; and after a quiet time, all the same."""
        self._listeners += 1
        try:
            told, text = await run_in_threadpool(self._look)
            yield text
            while not self._ended():
                state = await self._next()
                if state is None:
                    yield text  # so that both sides know that the connection lives
                elif state[0] != told:
                    told, text = state
                    yield text
        finally:
            self._listeners -= 1

    async def _next(self) -> State | None:
        """What the next look finds that is news to somebody; None after a quiet time."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._keep_looking())
        if self._news is None:
            self._news = asyncio.get_running_loop().create_future()
        try:
            return await asyncio.wait_for(asyncio.shield(self._news), self._quiet_s)
        except TimeoutError:
            return None

    async def _keep_looking(self) -> None:
        told: object = None  # at first everything is news: whoever knows it already is not told again
        while self._listeners and not self._ended():
            await asyncio.sleep(self._every_s)
            state = await run_in_threadpool(self._look)
            if state[0] != told or self._ended():
                told = state[0]
                self._tell(state)

    def _tell(self, state: State) -> None:
        news, self._news = self._news, None
        if news is not None:
            news.set_result(state)
