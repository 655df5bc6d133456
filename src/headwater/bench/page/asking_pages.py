"""Pages as they ask: each follows the events, and asks what the overview asks when something was recorded.

The same routes at the same times as page/src/lib/live.ts and pages/overview.tsx; what a browser draws is not
the server's business.  Runs as a process of its own: `python -m headwater.bench.page.asking_pages ADDRESS
PAGES`, until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from datetime import UTC, datetime

import httpx

__all__ = ["ALWAYS", "SELDOM"]

TEETH_EVERY_S = 60.0
ALWAYS = ("/status",)
MIDNIGHT = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0).isoformat()
SELDOM = ("/periods?last=1h", "/bill?last=1h&by=view", f"/bill?since={MIDNIGHT.replace('+', '%2B')}&by=view")
TEETH = "/staleness?last=600s&points=240"
ONCE = ("/", "/session", "/views")


async def page(address: str) -> None:
    """One page, until it is cancelled."""
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        for path in (*ONCE, *ALWAYS, *SELDOM, TEETH):
            (await client.get(path)).raise_for_status()
        state = sums = ""
        teeth_at = time.monotonic()
        async with client.stream("GET", "/live/changes", timeout=None) as stream:
            async for line in stream.aiter_lines():
                if not line.startswith("data: "):
                    continue
                event, wanted = json.loads(line[6:]), list[str]()
                if state and event["state"] != state:
                    wanted += ALWAYS
                if sums and event["sums"] != sums:
                    wanted += SELDOM
                state, sums = event["state"], event["sums"]
                if wanted and time.monotonic() - teeth_at > TEETH_EVERY_S:
                    teeth_at, wanted = time.monotonic(), [*wanted, TEETH]
                for path in wanted:
                    (await client.get(path)).raise_for_status()


async def pages(address: str, number: int) -> None:
    async with asyncio.TaskGroup() as group:
        for at in range(number):
            group.create_task(page(address))
            await asyncio.sleep(0.37 * (at % 3))  # people do not open pages all at once
        print("open", flush=True)


if __name__ == "__main__":
    asyncio.run(pages(sys.argv[1], int(sys.argv[2])))
