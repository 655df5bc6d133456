"""The Spark that a site runs on: `local[*]` by default, any master or Spark Connect address otherwise.

A process holds one Spark of its own (a SparkContext, with whatever master) and any number of sessions of
Spark Connect servers beside it (connect.py).  Driver and servers must see the same storage folders: they
are on one machine, or share a file system.

The settings matter for small pushes: Spark's defaults are made for jobs of minutes, and a push should cost
little more than Spark's floor of a tenth of a second an action.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from headwater.engine.spark.class_archive import archive_options
from headwater.engine.spark.connect import CONNECT, connect, connect_again, is_connect
from headwater.engine.spark.ended_jvm import forget_jvm, jvm_has_ended
from headwater.engine.spark.java import check_java
from headwater.engine.spark.jvm import LAUNCHER, compiler_options, leaves_archive
from headwater.errors import InputError, redact
from headwater.errors.error import first_line
from headwater.errors.secrets import names_secret
from headwater.project.secrets import resolved, resolved_text

__all__ = ["Size", "cancel_jobs", "connect_settings", "new_session", "session", "sized_session"]


class Size(Enum):
    """How many rows an action handles; its session is set for that."""

    LARGE = "large"
    SMALL = "small"  # deltas that can be broadcast
    FEW = "few"  # nothing is worth a task of its own, or compiled code


# Adaptive execution runs every shuffle and broadcast as a job of its own.
_SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    # A writer for each stage instead of sorting the rows of all stages by stage.
    "spark.sql.maxConcurrentOutputFileWriters": "200",
}
# Compiling takes tens of milliseconds for each piece of code, interpreting a microsecond a row.
_FEW = _SMALL | {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_SIZED = {Size.LARGE: {}, Size.SMALL: _SMALL, Size.FEW: _FEW}

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# They print every failed query to standard error, with the JVM's stack; who asked for it gets the same error.
_QUERY_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.scheduler.mode": "FAIR",
    "spark.scheduler.allocation.file": Path(__file__).with_name("pools.xml").as_uri(),
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Micros, as Delta wants them; Spark's own default is the deprecated INT96, which has no statistics.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # As our own files (storage/delta/delta_log.py): less CPU to read than Spark's default, and fewer bytes.
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.hadoop.parquet.compression.codec.zstd.level": "1",
    # A commit is visible only through the Delta log, so Spark's own committer may be the fast one.
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    # Recording where in Python each column was made costs more than making it.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # Small shuffles: adaptive execution merges what is left of these.
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.files.openCostInBytes": "262144",
    # A push of many views runs more pieces of generated code than the 100 that Spark remembers by default:
    # each push would compile all of them again, and the JVM would warm them up again.
    "spark.sql.codegen.cache.maxEntries": "5000",
    # Every aggregate, sort and hash table takes a page at once, however few its rows: Spark's own 64 MB are
    # zeroed for each of the hundreds that a push has.  A task may have 8,192 pages.
    "spark.buffer.pageSize": "4m",
    # Listing is done by the Delta log already.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    "spark.cleaner.periodicGC.interval": "10min",
    "spark.sql.ui.retainedExecutions": "50",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "400",
}

# Settings of a whole Spark, which a session cannot choose.
_STATIC = {
    "spark.sql.catalogImplementation",
    "spark.sql.codegen.cache.maxEntries",
    "spark.sql.ui.retainedExecutions",
}


def session(
    name: str, master: str = "local[*]", config: Mapping[str, str] | None = None, log: str | None = None
) -> SparkSession:
    """The running Spark session, or a new one. Starting Spark takes 5 to 15 seconds.

    Nobody stops the process's own Spark but the end of the process (jvm.py): commands, runs and verifications
    in one process share it, one after the other.  What the JVM prints goes to the file `log`, if given, and
    not between the lines of our own output.  Secrets that master and config refer to are read here.
    """
    master = resolved_text(master, "the address of Spark")
    config = resolved(config or {}, "spark.config")
    if master.startswith(CONNECT):
        return connect(master, connect_settings(config))
    if jvm_has_ended():
        forget_jvm()
    for logger in _QUERY_LOGGERS:
        PySparkLogger.getLogger(logger).disabled = True
    starts = SparkContext._gateway is None
    if starts:
        check_java([master])
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(f"headwater-{name}").master(master)
    settings = _SETTINGS | config
    own = settings.pop(JAVA_OPTIONS, "")
    if starts:
        settings[JAVA_OPTIONS] = " ".join((*_java_options(settings, own), own))
    for key, value in settings.items():
        builder = builder.config(key, value)
    with _ctrl_c_stays():
        return _started(builder, master, settings if starts else {}, log)


def _started(
    builder: SparkSession.Builder, master: str, settings: Mapping[str, str], log: str | None
) -> SparkSession:
    """The session; the JVM is started with these settings, if there are any."""
    try:
        if settings:
            _start_jvm(master, settings, log)
        return builder.getOrCreate()
    except Exception as error:
        raise InputError(
            "HW814",
            f"Spark does not start with master {master}: {first_line(str(error))}",
            detail=f"What it printed is in {log}." if log is not None else "",
            hint="Look at `spark:` in headwater.yml: its master and its config.",
        ) from error


def _start_jvm(master: str, settings: Mapping[str, str], log: str | None) -> None:
    """Start the JVM; what it prints for the rest of its life goes to the file `log`, if given.

    The secrets among the settings are left out, because every user of the machine can read command lines; the
    session gets them once the JVM is there.
    """
    public = {
        key: value for key, value in settings.items() if not names_secret(key) and value == redact(value)
    }
    conf = SparkConf(loadDefaults=False).setMaster(master).setAll(list(public.items()))
    with _output(log) as streams:
        SparkContext._ensure_initialized(gateway=launch_gateway(conf, streams))  # type: ignore[no-untyped-call]


@contextmanager
def _output(log: str | None) -> Iterator[dict[str, BinaryIO]]:
    """Where a JVM writes that is started here."""
    if log is None:
        yield {}
        return
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "ab") as file:
        yield {"stdout": file, "stderr": file}


def _java_options(settings: Mapping[str, str], own: str) -> tuple[str, ...]:
    """The options of the JVM that is about to start."""
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", LAUNCHER)
    quiet = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
    return quiet, *compiler_options(own), *archive_options(settings, leaves_archive())


def connect_settings(config: Mapping[str, str] | None = None) -> dict[str, str]:
    """The settings that a session may choose at a server; memory, cores and the like are the server's own."""
    wanted = _SETTINGS | dict(config or {})
    hadoop = "spark.hadoop.mapreduce."
    chosen = {
        key: value for key, value in wanted.items() if key.startswith("spark.sql.") and key not in _STATIC
    }
    return chosen | {
        key.removeprefix("spark.hadoop."): value for key, value in wanted.items() if key.startswith(hadoop)
    }


def new_session(spark: SparkSession, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Another session of the same Spark, with its own temporary views and these settings besides."""
    if is_connect(spark):
        return connect_again(spark, settings or {})
    other = spark.newSession()
    for key, value in (settings or {}).items():
        other.conf.set(key, value)
    return other


def sized_session(spark: SparkSession, size: Size) -> SparkSession:
    """Another session of the same Spark, for actions of this size."""
    return new_session(spark, _SIZED[size])


def cancel_jobs(spark: SparkSession) -> None:
    """Cancel what a session computes; what the process's own Spark computes, for any of its sessions."""
    if is_connect(spark):
        spark.interruptAll()
    else:
        spark.sparkContext.cancelAllJobs()


@contextmanager
def _ctrl_c_stays() -> Iterator[None]:
    """Spark replaces the handler of SIGINT by one that cancels all jobs: put back the one that was there."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)
