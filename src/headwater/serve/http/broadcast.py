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


class Broadcast:
    """`look` gives what tells whether anything has changed, and the text to tell then.

    Everything here runs in one event loop; only `look` is called elsewhere.
    """

    def __init__(
        self,
        look: Callable[[], tuple[object, str]],
        every_s: float,
        quiet_s: float,
        ended: Callable[[], bool],
    ) -> None:
        self._look, self._every_s, self._quiet_s, self._ended = look, every_s, quiet_s, ended
        self._listeners = 0
        self._looking: asyncio.Task[None] | None = None
        self._news: asyncio.Future[str] | None = None
        self._told: object = None

    async def follow(self) -> AsyncIterator[str]:
        """The text as it is now, then whenever it has changed; and after a quiet time, all the same."""
        self._listeners += 1
        try:
            yield await self.once()
            while not self._ended():
                yield await self._next()
        finally:
            self._listeners -= 1

    async def once(self) -> str:
        _, text = await run_in_threadpool(self._look)
        return text

    async def _next(self) -> str:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._keep_looking())
        if self._news is None:
            self._news = asyncio.get_running_loop().create_future()
        try:
            return await asyncio.wait_for(asyncio.shield(self._news), self._quiet_s)
        except TimeoutError:
            return await self.once()

    async def _keep_looking(self) -> None:
        while self._listeners and not self._ended():
            await asyncio.sleep(self._every_s)
            telling, text = await run_in_threadpool(self._look)
            if telling != self._told or self._ended():
                self._told = telling
                self._tell(text)

    def _tell(self, text: str) -> None:
        news, self._news = self._news, None
        if news is not None:
            news.set_result(text)
