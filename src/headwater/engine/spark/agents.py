"""An agent per site, with heartbeats: who is there, who is silent since when, and who has come back.

An agent asks its site every few seconds for something trivial (does its Spark answer, can its storage be
written) and notes when it last answered.  Nothing is timed out: a site is silent when its last answer is
too old, whether the question failed, hangs or was never asked.  While a site is silent its agent renews the
session before it asks, since a server that was started again does not know the old one; so a site recovers
by itself.

A silent site stops nobody: its views' staleness grows and is shown, the others go on.  What was being
pushed there fails, loses nothing (nothing is visible before the commit) and is tried again.  `usable` is
for the executor: it leaves the views of a silent site alone until it is back, and sends no work to it.

The doubt that remains: a Spark that answers but has no cores left to work with looks alive.  Its views'
staleness tells.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import uuid4

from headwater.clock import Clock, micros
from headwater.engine.spark.connect import is_connect
from headwater.engine.spark.sites import Sites
from headwater.errors import brief
from headwater.storage.permissions import make_root
from headwater.storage.records.site_health import SiteHealth

__all__ = ["Agent", "Agents", "SiteHealth", "ask_site", "site_agents"]

logger = logging.getLogger(__name__)

BEAT_EVERY = timedelta(seconds=3)
SILENT_AFTER = timedelta(seconds=10)


@dataclass(slots=True)
class Agent:
    """Watches one site. `ask` raises if something is wrong there; `renew` comes before asking again."""

    site: str
    clock: Clock
    ask: Callable[[], None]
    renew: Callable[[], None] = lambda: None
    silent_after: timedelta = SILENT_AFTER
    started_at: int = field(init=False)
    came_at: int = field(init=False)
    last_seen: int | None = field(default=None, init=False)
    heard_at: int = field(init=False)  # monotonic
    error: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.started_at = self.came_at = self.clock.now()
        self.heard_at = self.clock.monotonic()

    def beat(self) -> bool:
        """Ask once; whether the site answered."""
        away = bool(self.error) or not self.health().alive
        try:
            if away:
                self.renew()
            self.ask()
        except Exception as error:
            if not self.error:
                logger.warning("site %s does not answer: %s", self.site, brief(error), exc_info=True)
            self.error = brief(error)
            return False
        if self.error:
            logger.info("site %s answers again", self.site)
        now = self.clock.now()
        if away or self.last_seen is None:
            self.came_at = now
        self.last_seen, self.heard_at, self.error = now, self.clock.monotonic(), ""
        return True

    def health(self) -> SiteHealth:
        """Alive: it answered lately. (A site is given the same time to answer at first.)"""
        heard = self.last_seen if self.last_seen is not None else self.started_at
        if self.error:
            return SiteHealth(self.site, False, heard, self.last_seen, self.error)
        late = self.clock.monotonic() - self.heard_at
        if late > micros(self.silent_after):
            error = f"no answer for {late // 1_000_000} s"
            return SiteHealth(self.site, False, heard, self.last_seen, error)
        return SiteHealth(self.site, True, self.came_at, self.last_seen)


class Agents:
    """The agents of all sites, each in a thread of its own: one that hangs keeps nobody else waiting."""

    def __init__(self, agents: Mapping[str, Agent], every: timedelta = BEAT_EVERY) -> None:
        self.agents = dict(agents)
        self.every = every
        self._stop = threading.Event()
        self._wake = {site: threading.Event() for site in agents}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for site in self.agents:
            thread = threading.Thread(target=self._watch, args=(site,), name=f"agent-{site}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for event in self._wake.values():
            event.set()
        for thread in self._threads:
            thread.join(timeout=5)

    def health(self) -> dict[str, SiteHealth]:
        return {site: agent.health() for site, agent in self.agents.items()}

    def silent(self) -> dict[str, SiteHealth]:
        """The sites that do not answer, for whoever shows them."""
        return {site: one for site, one in self.health().items() if not one.alive}

    def usable(self, *sites: str) -> bool:
        """Whether work that needs all these sites can be started now."""
        return all(self.agents[site].health().alive for site in sites if site in self.agents)

    def suspect(self, site: str) -> None:
        """Something failed there: ask at once, rather than at the next beat."""
        if site in self._wake:
            self._wake[site].set()

    def _watch(self, site: str) -> None:
        while not self._stop.is_set():
            self.agents[site].beat()
            self._wake[site].wait(self.every.total_seconds())
            self._wake[site].clear()


def site_agents(
    sites: Sites, storage: Mapping[str, str], clock: Clock, every: timedelta = BEAT_EVERY
) -> Agents:
    """An agent for every site of a project; `storage` is each site's folder."""

    def agent(site: str) -> Agent:
        return Agent(
            site,
            clock,
            lambda: ask_site(sites, site, storage[site]),
            lambda: sites.renew(site),
            max(SILENT_AFTER, every * 3),
        )

    return Agents({site: agent(site) for site in storage}, every)


def ask_site(sites: Sites, site: str, storage: str) -> None:
    """The heartbeat: raises unless the site's Spark answers and its storage can be written."""
    make_root(storage)
    path = os.path.join(storage, f".heartbeat-{uuid4().hex[:8]}")
    with open(path, "wb"):
        pass
    os.unlink(path)
    spark = sites.spark(site)
    if not is_connect(spark) and spark._sc._jsc is None:
        raise RuntimeError("Spark was stopped")
    # A request to the server, or to the JVM; a session remembers its version, so that would ask nobody.
    if not spark.conf.get("spark.sql.session.timeZone"):
        raise RuntimeError("Spark does not know its own settings")
