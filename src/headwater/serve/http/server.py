"""A server in a thread of its own, beside a run or alone: started on a socket, stopped within two seconds."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from datetime import timedelta

import uvicorn

from headwater.clock import Clock
from headwater.errors import InputError
from headwater.serve.access.hosts import is_loopback
from headwater.serve.access.key_file import read_keys
from headwater.serve.http.app import Application
from headwater.serve.http.serving import Settings

__all__ = ["DEFAULT_PORT", "Server"]

DEFAULT_PORT = 8765
MOST_CONNECTIONS = 500
GRACE = timedelta(seconds=1)  # for requests under way when the server stops
KEEP_ALIVE = timedelta(seconds=15)
LARGEST_HEAD = 32 * 1024  # bytes of a request's line and headers


@dataclass(slots=True)
class Server:
    """Listens from the start; `stop` ends it."""

    address: str
    _server: uvicorn.Server
    _app: Application
    _thread: threading.Thread

    @classmethod
    def start(cls, folder: str, clock: Clock, settings: Settings, port: int | None = None) -> Server:
        """Listen on a port; without one on the usual one, or on any that is free.

        InputError if that is not possible, or if other machines could ask without a key.
        """
        app = Application(folder, clock, settings)
        require_keys(settings.host, app.serving.opened.warehouse.root)
        listening = _listen(settings.host, port)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            http="h11",
            ws="none",
            lifespan="off",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=round(KEEP_ALIVE.total_seconds()),
            timeout_graceful_shutdown=round(GRACE.total_seconds()),
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listening]}, name="headwater-http", daemon=True
        )
        thread.start()
        return cls(_address(settings.host, listening.getsockname()[1]), server, app, thread)

    @property
    def root(self) -> str:
        """The warehouse of the project."""
        return self._app.serving.opened.warehouse.root

    def stop(self) -> None:
        """Stop listening, end what is under way, and return when that is done."""
        self._app.serving.stopping.set()
        self._server.should_exit = True
        self._thread.join(GRACE.total_seconds())
        self._server.force_exit = True
        self._thread.join(GRACE.total_seconds())


def require_keys(host: str, root: str) -> None:
    """Refuse to be reached by other machines if nobody needs a key."""
    if is_loopback(host) or any(key.revoked_at is None for key in read_keys(root)):
        return
    raise InputError(
        "HW961",
        f"on {host} other machines reach the server, and the project has no API key",
        hint="Make one first: headwater key add DIR NAME --role query. Or listen on 127.0.0.1, the default.",
    )


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens on the port, or on the usual one, or on a free one."""
    if port is not None:
        return _bound(host, port)
    try:
        return _bound(host, DEFAULT_PORT)
    except InputError:
        return _bound(host, 0)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise _unusable(host, port, error) from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise _unusable(host, port, error) from None
    return listening


def _unusable(host: str, port: int, error: Exception) -> InputError:
    why = getattr(error, "strerror", None) or str(error)
    return InputError(
        "HW960",
        f"cannot listen on {host}, port {port}: {why}",
        hint="Choose another --port or --host; without --port a free one is taken.",
    )


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
