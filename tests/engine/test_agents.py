"""Heartbeats: a silent site is seen, does not hold up the others, and comes back by itself. No Spark here."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from headwater.clock import ManualClock, micros
from headwater.engine.spark.agents import Agent, Agents, SiteHealth

START = ManualClock().now()


def second(number: float) -> int:
    return START + micros(timedelta(seconds=number))


@dataclass
class FakeSite:
    """A server with sessions: one started again knows only sessions made since."""

    up: bool = True
    life: int = 0
    session: int | None = 0
    renewed: int = 0
    asked: list[int] = field(default_factory=list)

    def ask(self) -> None:
        self.asked.append(self.life)
        if not self.up:
            raise ConnectionError("refused\nwith details")
        if self.session is None:
            self.session = self.life
        if self.session != self.life:
            raise RuntimeError("SESSION_CHANGED")

    def renew(self) -> None:
        self.session = None
        self.renewed += 1


def agent_of(site: FakeSite, clock: ManualClock) -> Agent:
    return Agent("plango", clock, site.ask, site.renew, timedelta(seconds=10))


def test_a_site_that_answers_is_alive_since_it_came() -> None:
    clock, site = ManualClock(), FakeSite()
    agent = agent_of(site, clock)
    assert agent.health() == SiteHealth("plango", True, second(0), None)
    clock.advance(timedelta(seconds=2))
    assert agent.beat()
    clock.advance(timedelta(seconds=3))
    assert agent.beat()
    assert agent.health() == SiteHealth("plango", True, second(2), second(5))
    assert site.renewed == 0


def test_a_site_that_fails_is_silent_since_its_last_answer_and_recovers() -> None:
    clock, site = ManualClock(), FakeSite()
    agent = agent_of(site, clock)
    agent.beat()
    clock.advance(timedelta(seconds=3))
    site.up = False
    assert not agent.beat()
    clock.advance(timedelta(seconds=3))
    assert not agent.beat()
    assert agent.health() == SiteHealth("plango", False, second(0), second(0), "ConnectionError: refused")
    clock.advance(timedelta(seconds=3))
    site.up, site.life = True, 1  # started again: the old session means nothing to it
    assert agent.beat()
    assert agent.health() == SiteHealth("plango", True, second(9), second(9))


def test_a_session_lost_between_two_beats_is_renewed() -> None:
    clock, site = ManualClock(), FakeSite()
    agent = agent_of(site, clock)
    agent.beat()
    site.life = 1
    assert not agent.beat()
    assert agent.health().error == "RuntimeError: SESSION_CHANGED"
    assert agent.beat()
    assert agent.health().alive


def test_no_news_is_bad_news() -> None:
    """A question that hangs, or was never asked, is silence; a site is given time to answer at first."""
    clock, site = ManualClock(), FakeSite()
    agent = agent_of(site, clock)
    clock.advance(timedelta(seconds=10))
    assert agent.health().alive
    clock.advance(timedelta(seconds=1))
    assert agent.health() == SiteHealth("plango", False, second(0), None, "no answer for 11 s")
    assert agent.beat()
    assert agent.health() == SiteHealth("plango", True, second(11), second(11))
    assert site.renewed == 1


def eventually(condition: object) -> None:
    assert callable(condition)
    for _ in range(24_000):  # two minutes: a loaded machine may be slow
        if condition():
            return
        time.sleep(0.005)
    pytest.fail("it never came true")


def test_a_site_that_hangs_keeps_nobody_else_waiting() -> None:
    clock, well = ManualClock(), FakeSite()
    free = threading.Event()
    hangs = Agent("stuck", clock, lambda: free.wait(60) and None, silent_after=timedelta(seconds=10))
    agents = Agents({"well": agent_of(well, clock), "stuck": hangs}, timedelta(milliseconds=1))
    agents.start()
    try:
        eventually(lambda: len(well.asked) > 5)
        clock.advance(timedelta(seconds=11))
        eventually(lambda: agents.health()["well"].alive)
        assert set(agents.silent()) == {"stuck"}
        assert agents.usable("well")
        assert not agents.usable("well", "stuck")
        free.set()
        eventually(lambda: agents.usable("well", "stuck"))
    finally:
        free.set()
        agents.stop()


def test_a_suspect_is_asked_at_once() -> None:
    clock, site = ManualClock(), FakeSite()
    agents = Agents({"plango": agent_of(site, clock)}, timedelta(hours=1))
    agents.start()
    try:
        eventually(lambda: len(site.asked) == 1)
        site.up = False
        agents.suspect("plango")
        agents.suspect("nowhere")
        eventually(lambda: not agents.usable("plango"))
        site.up = True
        agents.suspect("plango")
        eventually(lambda: agents.usable("plango"))
    finally:
        agents.stop()
