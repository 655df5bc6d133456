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
from pathlib import Path

from pyspark.sql import SparkSession

from headwater.engine.connect import CONNECT, connect, connect_apart, is_connect

__all__ = ["SMALL", "apart", "connect_settings", "session"]

# For small deltas: adaptive execution runs every shuffle and broadcast as a job of its own.
SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    # A writer for each stage instead of sorting the rows of all stages by stage.
    "spark.sql.maxConcurrentOutputFileWriters": "200",
}

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# Pushes run a lot of Spark's planner a little: with the JVM's own thresholds half of the CPU of the first
# minutes goes into optimising code that is hardly used again.
_WARM_UP = (
    "-XX:ReservedCodeCacheSize=400m",
    "-XX:Tier4InvocationThreshold=20000",
    "-XX:Tier4MinInvocationThreshold=2500",
    "-XX:Tier4CompileThreshold=60000",
    "-XX:Tier4BackEdgeThreshold=160000",
)
# Objects larger than half a region (2 MB by default: pages of Parquet, of broadcast deltas) are old at once.
# Larger regions, and fewer, longer collections, took an eighth less CPU with 7 million tweets (one run each).
_COLLECTOR = ("-XX:G1HeapRegionSize=16m", "-XX:MaxGCPauseMillis=500")

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Micros, as Delta wants them; Spark's own default is the deprecated INT96, which has no statistics.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # As our own files (storage/delta_log.py): less CPU to read than Spark's default, and fewer bytes.
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

    What the JVM prints goes to the file `log`, if given, and not between the lines of our own output.
    """
    if master.startswith(CONNECT):
        return connect(master, connect_settings(config))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(f"headwater-{name}").master(master)
    quiet = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
    settings = _SETTINGS | dict(config or {})
    own = settings.pop(JAVA_OPTIONS, "")
    builder = builder.config(JAVA_OPTIONS, " ".join((quiet, *_WARM_UP, *_COLLECTOR, own)))
    for key, value in settings.items():
        builder = builder.config(key, value)
    with _jvm_output_to(log), _ctrl_c_stays():
        return builder.getOrCreate()


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


def apart(spark: SparkSession, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Another session of the same Spark, with its own temporary views and these settings besides."""
    if is_connect(spark):
        return connect_apart(spark, settings or {})
    other = spark.newSession()
    for key, value in (settings or {}).items():
        other.conf.set(key, value)
    return other


@contextmanager
def _ctrl_c_stays() -> Iterator[None]:
    """Spark replaces the handler of SIGINT by one that cancels all jobs: put back the one that was there."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _jvm_output_to(log: str | None) -> Iterator[None]:
    """While the JVM starts, our standard output and error are the log file: it inherits them for its life."""
    if log is None or SparkSession.getActiveSession() is not None:
        yield
        return
    os.makedirs(os.path.dirname(log), exist_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.dup2(file, 1)
        os.dup2(file, 2)
        yield
    finally:
        for descriptor, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, descriptor)
            os.close(saved)
        os.close(file)
