"""Sessions of Spark Connect: Sparks that run elsewhere, as many as there are sites, beside our own.

PySpark's usual entry (`SparkSession.builder.remote`) switches the whole process to Connect: from then on
`pyspark.sql.functions` makes Connect's columns, even for the Spark in our own process.  So sessions are made
from the client's session class, which leaves the process as it is, and pushes are written as SQL text
(engine/query), so that they need no columns of either kind.

Three defaults of the client are changed.  It retries for ten minutes when a server is gone, which would block
the thread of a push: here it gives up after seconds, and the executor tries again.  The server keeps its half
of an abandoned session for an hour: here it is released with ours.  A session that was not closed hangs the
interpreter's exit: here all are closed before.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from headwater.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CONNECT", "connect", "connect_again", "is_connect", "stop"]

CONNECT = "sc://"
RETRIES = 4
FIRST_WAIT_MS = 100
LONGEST_WAIT_MS = 1_000
RELEASE_S = 5.0
ANSWER_S = 60.0  # for one request; longer work is asked for again, but not done again


@dataclass(frozen=True, slots=True)
class _Made:
    """What a session was made of, to make others like it."""

    url: str
    settings: Mapping[str, str]


_made: weakref.WeakKeyDictionary[Any, _Made] = weakref.WeakKeyDictionary()
_released: weakref.WeakSet[Any] = weakref.WeakSet()


def is_connect(value: object) -> bool:
    """Whether a session, a frame or a column is Connect's. (Asking must not import the client.)"""
    return any(kind.__module__.startswith("pyspark.sql.connect") for kind in type(value).__mro__)


@cache
def _session_kind() -> Any:
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    class Session(ConnectSession):
        """Connect's session, which closes the connection when it is forgotten, but not the server's half."""

        def __del__(self) -> None:
            if hasattr(self, "_client"):
                _release(self._client)

    return Session


def connect(url: str, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A new session at a server. Several at once, to one server or to several, are fine.

    Without settings nothing is asked of the server yet: the first request shows whether it is there.
    """
    try:
        kind = _session_kind()
    except ImportError as error:
        raise InputError(
            "HW810",
            f"Spark Connect's client cannot be used: {error}",
            detail=f"It is needed for {url}.",
            hint="Install it: pip install 'headwater[connect]'",
        ) from error
    try:
        session = kind(connection=url)
    except Exception as error:
        raise InputError(
            "HW811",
            f"{url} is not the address of a Spark Connect server",
            detail=str(error).strip().splitlines()[0],
            hint="Write sc://host:port, for example sc://10.0.0.7:15002.",
        ) from error
    _give_up_early(session)
    weakref.finalize(session, _release, session.client)
    if settings:
        session.conf._set_all(configs=dict(settings), silent=True)
    _made[session] = _Made(url, dict(settings or {}))
    return cast("SparkSession", session)


def connect_again(session: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """Another session at the same server, with the same settings and these besides."""
    made = _made[session]
    return connect(made.url, {**made.settings, **settings})


def stop(session: SparkSession) -> None:
    """End a session at its server, even if the server is gone."""
    _release(cast(Any, session).client)


def _give_up_early(session: Any) -> None:
    from pyspark.sql.connect.client.core import RpcDeadlines
    from pyspark.sql.connect.client.retries import DefaultPolicy

    policy = DefaultPolicy(
        max_retries=RETRIES,
        backoff_multiplier=2.0,
        initial_backoff=FIRST_WAIT_MS,
        max_backoff=LONGEST_WAIT_MS,
        jitter=100,
        max_server_retry_delay=LONGEST_WAIT_MS,
    )
    session.client.set_retry_policies([policy])
    session.client._rpc_deadlines = RpcDeadlines(**{call.name: ANSWER_S for call in fields(RpcDeadlines)})


def _release(client: Any) -> None:
    """Release the server's half and close the connection, and wait for that, but not for ever.

    Closing waits for the requests under way in other threads, which may wait for a server that is gone.
    """
    if client.is_closed or client in _released:
        return
    _released.add(client)
    thread = threading.Thread(target=_close, args=(client,), name="connect-release", daemon=True)
    with suppress(RuntimeError):  # the interpreter ends: no more threads
        thread.start()
        thread.join(RELEASE_S)


def _close(client: Any) -> None:
    client.set_retry_policies([])
    with suppress(Exception):  # its server may be gone, and the session with it
        client.release_session()
    with suppress(Exception):
        client.close()
