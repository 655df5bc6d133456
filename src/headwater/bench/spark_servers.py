"""Sparks as processes of their own, from the installed pyspark, on loopback: Connect servers, a cluster."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from headwater.engine.spark.class_archive import archive_options
from headwater.engine.spark.jvm import LAUNCHER

__all__ = ["Server", "cluster", "connect_server", "running"]

HOME = Path(str(files("pyspark")))
CONNECT_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
START_S = 180


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as caller:
        caller.settimeout(0.2)
        return caller.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class Server:
    """A process that listens on a port. `bin/spark-*` replace themselves by Java, so its pid is the JVM's."""

    command: Sequence[str]
    port: int
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    "SPARK_HOME": str(HOME),
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    **self.environment,
                },
            )

    def wait(self) -> None:
        until = time.monotonic() + START_S
        while not _listens(self.port):
            ended = self.process is None or self.process.poll() is not None
            if ended or time.monotonic() > until:
                what = "ended" if ended else f"does not listen after {START_S} s"
                raise RuntimeError(f"the server {what}: {self.log.read_text()[-2000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """As a machine dies: at once, with nothing put in order."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def connect_server(folder: Path, name: str) -> Server:
    port = _free_port()
    settings = {
        "spark.driver.memory": "512m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.warehouse.dir": str(folder / f"{name}-warehouse"),
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    given = [text for key, value in settings.items() for text in ("--conf", f"{key}={value}")]
    command = [str(HOME / "bin" / "spark-submit"), "--class", CONNECT_SERVER, "--master", "local[2]", *given]
    return Server([*command, "spark-internal"], port, folder / f"{name}.log", _quick_start())


def _quick_start() -> dict[str, str]:
    """A server of a test or a bench lives for minutes: it starts as other JVMs do that end soon."""
    options = (os.environ.get("JDK_JAVA_OPTIONS", ""), LAUNCHER, *archive_options({}, leave_one=False))
    return {"JDK_JAVA_OPTIONS": " ".join(options).strip()}


@contextmanager
def running(*servers: Server) -> Iterator[None]:
    """All at once started; all ended in the end, by their own pid."""
    try:
        for server in servers:
            server.start()
        for server in servers:
            server.wait()
        yield
    finally:
        for server in servers:
            server.kill()


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """A standalone cluster: a master, and workers with one core each. Gives the master's address."""
    spark_class = str(HOME / "bin" / "spark-class")
    memory = {"SPARK_DAEMON_MEMORY": "256m"}
    port = _free_port()
    where = ["--host", "127.0.0.1", "--webui-port", "0"]
    master = Server([spark_class, MASTER, *where, "--port", str(port)], port, folder / "master.log", memory)
    address = f"spark://127.0.0.1:{port}"
    with running(master):
        others = []
        for number in range(workers):
            own = _free_port()
            room = ["--cores", "1", "--memory", "512m", "--work-dir", str(folder / f"work-{number}")]
            command = [spark_class, WORKER, *where, "--port", str(own), *room, address]
            others.append(Server(command, own, folder / f"worker-{number}.log", memory))
        with running(*others):
            yield address
