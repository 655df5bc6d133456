"""The Spark of every site.

    spark: (nothing)            the project's own, shared by all sites that name none
    spark: sc://host:port       a Spark Connect server, as many different ones as there are sites

Only one SparkContext can live in a process, so a second master ("local[2]" here, "spark://..." there) is
refused with the way out: a Connect server at that master.  Sites with one address share its sessions.

Sessions are made when first used and made anew by `renew`: a server that was started again knows nothing of
the sessions it had.  Whoever works at a site asks for its session each time and keeps none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pyspark.sql import SparkSession

from headwater.engine.connect import CONNECT, stop
from headwater.engine.session import SMALL, apart, session
from headwater.errors import InputError
from headwater.model import Project, Site

__all__ = ["Sites", "check_masters", "site_masters"]

Start = Callable[[str], SparkSession]


def site_masters(project: Project) -> dict[str, str]:
    """Where each site's Spark is; always with "default"."""
    known: dict[str, Site] = {"default": Site(), **project.sites}
    return {name: site.spark or project.spark_master for name, site in known.items()}


def check_masters(project: Project) -> None:
    """Refuse a project whose sites need two Sparks in one process."""
    for name, master in site_masters(project).items():
        if not master.startswith(CONNECT) and master != _shared(project):
            raise InputError(
                "HW812",
                f'site "{name}" cannot run on {master} beside {_shared(project)}',
                detail="One process holds one Spark of its own; the sites that name none share it.",
                hint=f"Start a Spark Connect server there (start-connect-server.sh --master {master}) and "
                f"give the site its address: spark: sc://host:15002",
            )


def _shared(project: Project) -> str:
    """The master of the Spark in our own process: the project's, or the first site's that needs one."""
    own = [one for one in site_masters(project).values() if not one.startswith(CONNECT)]
    return next((one for one in own if one == project.spark_master), own[0] if own else project.spark_master)


@dataclass(slots=True)
class _Address:
    """The sessions at one master: the main one, and one with other settings for small deltas."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    main: SparkSession | None = None
    small: SparkSession | None = None


class Sites:
    """The sessions of a project's sites. Safe to use from several threads."""

    def __init__(self, project: Project, log: str | None = None, start: Start | None = None) -> None:
        check_masters(project)
        self.masters: Mapping[str, str] = site_masters(project)
        self._start = start or (lambda master: session(project.name, master, project.spark_config, log))
        self._addresses = {master: _Address() for master in self.masters.values()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.masters)

    def remote(self, site: str) -> bool:
        """Whether a site's Spark runs elsewhere, and may come and go by itself."""
        return self.masters[site].startswith(CONNECT)

    def spark(self, site: str = "default") -> SparkSession:
        """The site's session. The first call may take long: it starts Spark, or finds its server away."""
        address = self._addresses[self.masters[site]]
        with address.lock:
            if address.main is None:
                address.main = self._start(self.masters[site])
            return address.main

    def small(self, site: str = "default") -> SparkSession:
        """The same Spark, set for small deltas."""
        address = self._addresses[self.masters[site]]
        with address.lock:
            if address.small is None:
                address.small = apart(self.spark(site), SMALL)
            return address.small

    def renew(self, site: str) -> None:
        """Forget a remote site's sessions: the next call makes others. The process's own Spark stays."""
        if not self.remote(site):
            return
        address = self._addresses[self.masters[site]]
        with address.lock:
            gone = [one for one in (address.main, address.small) if one is not None]
            address.main = address.small = None
        for one in gone:
            stop(one)

    def close(self) -> None:
        """End the sessions at servers; the process's own Spark is left to whoever started it."""
        for site in self.masters:
            self.renew(site)
