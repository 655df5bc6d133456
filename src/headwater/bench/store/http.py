"""Requests over HTTP against a prepared statement of PostgreSQL behind the same framework, in one run.

Both servers answer TPC-W's product detail (two rows by their keys) from the same data, in turns.  Each client
has a connection and asks again when it has its answer.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from headwater.bench.postgres import postgres_server
from headwater.bench.store.tpcw.data import Scale, rows_of
from headwater.bench.store.tpcw.measure import loaded

__all__ = ["Asked", "compare"]

CLIENTS = 8
_TYPES = {int: "bigint", float: "float8", str: "text"}
PATH = "/queries/product_detail?item={item}"


@dataclass(frozen=True, slots=True)
class Asked:
    server: str
    requests: int
    requests_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float  # of a request: the server, and the database where it is another process


def compare(
    folder: Path, scale: Scale, seconds: float, rounds: int, progress: Callable[[str], None]
) -> list[Asked]:
    """Ask both in turns; the results of all rounds together."""
    progress("loading")
    _, store, _ = loaded(folder, scale, progress)
    store.close()
    with postgres_server() as uri, _headwater(folder) as ours, _plain(uri, scale) as theirs:
        measured: dict[str, list[_Round]] = {"headwater": [], "postgres": []}
        for turn in range(rounds + 1):  # the first one warms up
            for name, (address, processes) in (("headwater", ours), ("postgres", theirs)):
                progress(f"{name}, round {turn}")
                done = _round(address, scale, seconds, processes())
                measured[name] += [done] if turn else []
    return [_summed(name, done) for name, done in measured.items()]


@dataclass(frozen=True, slots=True)
class _Round:
    times: list[float]
    seconds: float
    cpu_s: float


Processes = Callable[[], list[psutil.Process]]


@contextmanager
def _headwater(folder: Path) -> Iterator[tuple[str, Processes]]:
    command = [
        sys.executable,
        "-m",
        "headwater.cli.app",
        "serve",
        str(folder),
        "--port",
        "0",
        "--rate",
        "1000000",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = json.loads(server.stdout.readline())["address"]
            yield address, lambda: [psutil.Process(server.pid)]
        finally:
            server.terminate()


@contextmanager
def _plain(uri: str, scale: Scale) -> Iterator[tuple[str, Processes]]:
    _fill(uri, scale)
    port = _free_port()
    command = [sys.executable, "-m", "headwater.bench.store.plain_http", str(port), uri]
    with subprocess.Popen(command) as server:
        try:
            _wait(port)
            yield f"http://127.0.0.1:{port}", lambda: [psutil.Process(server.pid), *_backends()]
        finally:
            server.terminate()


def _fill(uri: str, scale: Scale) -> None:
    import psycopg

    with psycopg.connect(uri, autocommit=True) as connection:
        for table in ("author", "item"):
            rows = list(rows_of(table, scale))
            types = {name: _TYPES[type(value)] for name, value in rows[0].items()}
            key, columns = next(iter(types)), ", ".join(f"{name} {kind}" for name, kind in types.items())
            connection.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({key}))")
            with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(tuple(row.values()))
            connection.execute(f"ANALYZE {table}")


def _backends() -> list[psutil.Process]:
    return [process for process in psutil.Process().children(recursive=True) if process.name() == "postgres"]


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"nobody listens on port {port}")


def _round(address: str, scale: Scale, seconds: float, processes: list[psutil.Process]) -> _Round:
    before, began = _cpu(processes), time.perf_counter()
    times = asyncio.run(_ask(address, scale, seconds))
    return _Round(times, time.perf_counter() - began, _cpu(processes) - before)


def _cpu(processes: list[psutil.Process]) -> float:
    used = [process.cpu_times() for process in processes]
    return sum(times.user + times.system for times in used)


async def _ask(address: str, scale: Scale, seconds: float) -> list[float]:
    until = time.perf_counter() + seconds
    times = await asyncio.gather(*(_client(address, scale, until, seed) for seed in range(CLIENTS)))
    return [taken for client in times for taken in client]


async def _client(address: str, scale: Scale, until: float, seed: int) -> list[float]:
    """Ask over one connection, again and again; returns how long each answer took, in milliseconds."""
    url, chance, times = urlsplit(address), random.Random(seed), list[float]()
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    while (began := time.perf_counter()) < until:
        path = PATH.format(item=chance.randrange(scale.items))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head.decode("latin-1"))
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        times.append((time.perf_counter() - began) * 1000)
    writer.close()
    return times


def _summed(name: str, rounds: list[_Round]) -> Asked:
    times = sorted(taken for done in rounds for taken in done.times)
    seconds, cpu = sum(done.seconds for done in rounds), sum(done.cpu_s for done in rounds)
    return Asked(
        name, len(times), round(len(times) / seconds), round(times[len(times) // 2], 2),
        round(times[int(len(times) * 0.99)], 2), round(cpu / len(times) * 1000, 3),
    )  # fmt: skip
