"""Spark's classes, read and verified once per machine instead of once per start (class-data sharing).

Starting Spark loads some fifteen thousand classes.  A JVM that was started with `-XX:ArchiveClassesAtExit`
leaves them in a file when it ends, and later ones map that file instead:

    $XDG_CACHE_HOME/headwater/spark-4.3.0-java-17.0.15-<fingerprint>-<bytes>.jsa      (~/.cache by default)

The fingerprint covers the Java and the folder of jars.  The JVM compares the class path as well and starts
as usual if it is another one; but it crashes on a file that was cut short, so the name says how long it is.

Writing the archive takes a quarter of a minute at the end of a process, so it is done where that is expected
(`make setup`, `headwater calibrate`): under a name of the process's own, which becomes the archive in one
step, so that any number of processes may do it at once.  Where the folder cannot be written, there is no
Java, or the class path is a user's own, Spark starts without an archive: that is never an error.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pyspark
from pyspark import SparkContext

__all__ = ["archive", "archive_options"]

# What the JVM says about archives is of use to nobody: it starts anyway.
QUIET = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
OWN_CLASS_PATH = ("spark.driver.extraClassPath", "spark.jars", "spark.jars.packages")
UNUSED_DAYS = 90
DUMP_SECONDS = 120.0


def archive_options(config: Mapping[str, str], leave_one: bool) -> tuple[str, ...]:
    """The JVM options that use the archive, or (`leave_one`) make it when this process ends."""
    stem = None if any(key in config for key in OWN_CLASS_PATH) else _stem()
    if stem is None:
        return ()
    if (path := archive()) is not None:
        with suppress(OSError):
            os.utime(path)  # in use: not to be removed
        return (f'"-XX:SharedArchiveFile={path}"', *QUIET)
    if not leave_one or not _writable(stem.parent):
        return ()
    partial = stem.with_name(f"{stem.name}.partial-{os.getpid()}")
    atexit.register(_finish, partial, stem)
    return (f'"-XX:ArchiveClassesAtExit={partial}"', *QUIET)


def archive() -> Path | None:
    """The archive of this Java with these jars, if there is one and it is whole."""
    stem = _stem()
    candidates = [] if stem is None else sorted(stem.parent.glob(f"{stem.name}-*.jsa"))
    return next((path for path in candidates if path.stem.endswith(f"-{path.stat().st_size}")), None)


def _stem() -> Path | None:
    """The path of the archive without its size; None if there is no Java."""
    java, jars = _java(), Path(pyspark.__file__).resolve().parent / "jars"  # as Spark names them
    if java is None or not jars.is_dir():
        return None
    release = java.parent.parent / "release"
    described = release.read_text("utf-8", "replace") if release.is_file() else ""
    version = re.search(r'^JAVA_VERSION="([\w.+-]+)"', described, re.M)
    parts = (java, java.stat().st_mtime_ns, described, jars, jars.stat().st_mtime_ns)
    fingerprint = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    name = f"spark-{pyspark.__version__}-java-{version[1] if version else 'unknown'}-{fingerprint}"
    return Path(cache).absolute() / "headwater" / name


def _java() -> Path | None:
    """The Java that Spark's scripts will start."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    return Path(java).resolve() if java and os.path.exists(java) else None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _finish(partial: Path, stem: Path) -> None:
    """At the end of the process: let the JVM end, which writes the archive, and put that in its place."""
    process = getattr(SparkContext._gateway, "proc", None)
    with suppress(OSError, subprocess.TimeoutExpired, KeyboardInterrupt):
        if isinstance(process, subprocess.Popen) and process.stdin is not None:
            process.stdin.close()
            if process.wait(timeout=DUMP_SECONDS) == 0:
                os.replace(partial, stem.with_name(f"{stem.name}-{partial.stat().st_size}.jsa"))
    with suppress(OSError):
        partial.unlink(missing_ok=True)
    _remove_unused(stem.parent)


def _remove_unused(folder: Path) -> None:
    """Archives of a Java or a Spark that is gone, and what a killed process left."""
    oldest = time.time() - UNUSED_DAYS * 86_400
    with suppress(OSError):
        for path in folder.glob("spark-*-java-*"):
            if path.stat().st_mtime < oldest:
                path.unlink()
