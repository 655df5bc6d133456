"""Where the bench runs: a disk that can be filled, a PostgreSQL and a Spark Connect server that can go down.

What this machine does not have is named with the reason, and the faults that need it are skipped visibly.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from headwater.bench.spark_servers import Server, connect_server, running

__all__ = ["Laboratory", "Postgres", "set_up"]

DISK_MB = 2_000  # hours of the writers, so that it is full only when a fault fills it
START_S = 120.0  # the longest that PostgreSQL may take to start
CONNECT_NEEDS = ("grpc", "grpc_status", "google.protobuf", "pandas")
FAKETIME = "/usr/lib/*/faketime/libfaketimeMT.so.1"


@dataclass(frozen=True, slots=True)
class Laboratory:
    """`missing`: the kinds of faults that cannot be tried here, with the reason."""

    storage: Path
    postgres: Postgres | None = None
    connect: Server | None = None
    faketime: str = ""  # the library that shows a process another time
    missing: dict[str, str] = field(default_factory=dict)


class Postgres:
    """A PostgreSQL server with logical replication that can be ended in the middle of anything."""

    def __init__(self, folder: str) -> None:
        self.data = os.path.join(folder, "data")
        self._server = self._get()
        self._server.psql("ALTER SYSTEM SET wal_level = 'logical'")
        self.stop()
        self._server = self._get()

    def _get(self) -> Any:
        """The server, started; pgserver waits ten seconds for that, and recovery may take longer."""
        import pgserver

        until = time.monotonic() + START_S
        while True:
            try:
                return pgserver.get_server(self.data, cleanup_mode="stop")
            except subprocess.TimeoutExpired:
                if time.monotonic() > until:
                    raise

    @property
    def uri(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.data}"

    def crash(self) -> None:
        """End it at once, as its machine might, and start it again."""
        process = psutil.Process(self._server.get_pid())
        process.send_signal(signal.SIGQUIT)
        psutil.wait_procs([process], timeout=60)
        self.stop()
        self._server = self._get()

    def stop(self) -> None:
        self._server.cleanup()


@contextmanager
def set_up(folder: Path) -> Iterator[Laboratory]:
    """Whatever of it this machine has; all of it ends with the context."""
    missing: dict[str, str] = {}
    with ExitStack() as stack:
        disk = _small_disk(folder / "disk", stack, missing)
        postgres = _postgres(stack, missing)
        server = _connect(folder, stack, missing)
        faketime = next(iter(glob.glob(FAKETIME)), "")
        if not faketime:
            missing["clock"] = "libfaketime is not installed"
        yield Laboratory(disk / "warehouse", postgres, server, faketime, missing)


def _small_disk(folder: Path, stack: ExitStack, missing: dict[str, str]) -> Path:
    """A small disk in memory (tmpfs), where that may be mounted; else a plain folder."""
    folder.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if mounted.returncode == 0:
        stack.callback(subprocess.run, ["umount", "-l", str(folder)], check=True)
    else:
        missing["full disk"] = f"a small disk cannot be mounted: {mounted.stderr.strip()}"
    return folder


def _postgres(stack: ExitStack, missing: dict[str, str]) -> Postgres | None:
    if importlib.util.find_spec("pgserver") is None:
        missing["postgres"] = "pgserver is not installed"
        return None
    folder = stack.enter_context(
        tempfile.TemporaryDirectory(prefix="headwater-pg-", ignore_cleanup_errors=True)
    )
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # else pgserver warns at import
    server = Postgres(folder)
    stack.callback(server.stop)
    return server


def _connect(folder: Path, stack: ExitStack, missing: dict[str, str]) -> Server | None:
    if absent := [name for name in CONNECT_NEEDS if importlib.util.find_spec(name.partition(".")[0]) is None]:
        missing["connect"] = f"not installed: {', '.join(absent)}"
        return None
    server = connect_server(folder, "far")
    stack.enter_context(running(server))
    return server
