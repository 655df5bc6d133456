"""The Spark of every site.

    spark: (nothing)            the project's own, shared by all sites that name none
    spark: sc://host:port       a Spark Connect server, as many different ones as there are sites

Only one SparkContext can live in a process, so a second master ("local[2]" here, "spark://..." there) is
refused with a remedy: a Connect server at that master.  Sites with the same address share its sessions.

Sessions are made when first used and replaced after `renew`: a restarted server has lost the sessions it had.
So callers ask for a site's session each time and never keep it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pyspark.sql import SparkSession

from headwater.engine.spark.connect import CONNECT, stop
from headwater.engine.spark.ended_jvm import jvm_has_ended
from headwater.engine.spark.session import Size, cancel_jobs, session, sized_session
from headwater.engine.spark.warmth import forget_actions
from headwater.errors import InputError, redact
from headwater.model import Project

__all__ = ["Sites", "check_masters"]

logger = logging.getLogger(__name__)

Start = Callable[[str], SparkSession]


def check_masters(project: Project) -> None:
    """Refuse a project whose sites need two Sparks in one process."""
    for name, master in project.masters().items():
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
    masters = [master for master in project.masters().values() if not master.startswith(CONNECT)]
    return project.spark_master if project.spark_master in masters or not masters else masters[0]


@dataclass(slots=True)
class _Address:
    """The sessions at one master, by the size of what they compute; the others are made of the first."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    sessions: dict[Size, SparkSession] = field(default_factory=dict)


class Sites:
    """The sessions of a project's sites. Safe to use from several threads."""

    def __init__(self, project: Project, log: str | None = None, start: Start | None = None) -> None:
        check_masters(project)
        self.masters: Mapping[str, str] = project.masters()
        self._start = start or (lambda master: session(project.name, master, project.spark_config, log))
        self._addresses = {master: _Address() for master in self.masters.values()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.masters)

    def remote(self, site: str) -> bool:
        """Whether a site's Spark runs elsewhere, and may come and go by itself."""
        return self.masters[site].startswith(CONNECT)

    def spark(self, site: str = "default", size: Size = Size.LARGE) -> SparkSession:
        """The site's session. The first call may take long: it starts Spark, or waits for a server."""
        address = self._addresses[self.masters[site]]
        with address.lock:
            if size not in address.sessions:
                address.sessions[size] = (
                    self._start(self.masters[site])
                    if size is Size.LARGE
                    else sized_session(self.spark(site), size)
                )
            return address.sessions[size]

    def renew(self, site: str) -> None:
        """Forget a remote site's sessions: the next call makes others.

        The process's own Spark stays, unless its JVM has ended: then the next call starts another.
        """
        if self.remote(site):
            for session in self._forget(site):
                stop(session)
        elif jvm_has_ended():
            logger.warning("the JVM of this process has ended; another is started")
            self._forget(site)
            forget_actions(redact(self.masters[site]))  # as catalogs name it

    def _forget(self, site: str) -> list[SparkSession]:
        """Forget a site's sessions; returns them."""
        address = self._addresses[self.masters[site]]
        with address.lock:
            sessions = list(address.sessions.values())
            address.sessions.clear()
        return sessions

    def cancel(self) -> None:
        """Cancel whatever Spark computes for this process."""
        for address in self._addresses.values():
            for spark in tuple(address.sessions.values()):
                cancel_jobs(spark)

    def close(self) -> None:
        """End the sessions at servers; the process's own Spark is left to whoever started it."""
        for site in self.masters:
            self.renew(site)
