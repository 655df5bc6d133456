"""How the JVM of this process starts, chosen by how long it will live.

A process has one JVM, so its lifetime is stated once, by whoever knows it (a command, a test session), before
Spark starts: `expect(Lifetime.SHORT)`.  Unstated, it is long: an application that keeps views for weeks must
not run on a compiler made for seconds.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.storage.timeline import Timeline

__all__ = [
    "LAUNCHER",
    "Lifetime",
    "compiler_options",
    "expect",
    "leaves_archive",
    "lifetime_of",
    "lifetime_of_work",
]

SHORT = timedelta(minutes=1)
FEW_ROWS = 1_000_000  # what Spark goes through once within a minute


class Lifetime(Enum):
    SHORT = "short"  # about a minute: start fast
    LONG = "long"  # longer, or unknown: run fast


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

# Compiled once, quickly; and a collector without threads of its own, unless the user chose one.
_QUICK, _SERIAL = "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"
# With one compiler the JVM keeps 48 MB for compiled code. A minute of Spark's planner fills them: code is
# thrown away and compiled again, an eighth of the CPU of twenty Spark tests. What is not used is not taken.
_CODE_CACHE = "-XX:ReservedCodeCacheSize=256m"
_CHOSEN_COLLECTOR = re.compile(r"-XX:\+Use\w+GC")
# Spark's scripts start a JVM to find out how to start the JVM.
LAUNCHER = f"{_QUICK} {_SERIAL}"


@dataclass(slots=True)
class _Process:
    """What was stated about this process."""

    lifetime: Lifetime = Lifetime.LONG
    leaves_archive: bool = False


_process = _Process()


def expect(lifetime: Lifetime, leave_archive: bool = False) -> None:
    """State how long this process will live; counts for a JVM that has not started yet.

    With `leave_archive` the process may take a while at its end to make later JVMs start faster.
    """
    _process.lifetime, _process.leaves_archive = lifetime, leave_archive


def lifetime_of(duration: timedelta | None) -> Lifetime:
    """The lifetime of a process that works for this long; None: for ever."""
    return Lifetime.SHORT if duration is not None and duration <= SHORT else Lifetime.LONG


def lifetime_of_work(sources: Iterable[Timeline]) -> Lifetime:
    """The lifetime of a process that goes through these sources once and ends."""
    return Lifetime.SHORT if sum(map(_rows, sources)) < FEW_ROWS else Lifetime.LONG


def _rows(source: Timeline) -> int:
    """The rows of a source; 0 for a damaged one, which is not gone through."""
    try:
        return source.snapshot().rows if source.exists() else 0
    except HeadwaterError:
        return 0


def leaves_archive() -> bool:
    return _process.leaves_archive


def compiler_options(own: str = "") -> tuple[str, ...]:
    """Compiler and collector of a JVM that lives as long as was stated; `own` are the user's options."""
    if _process.lifetime is Lifetime.LONG:
        return (*_WARM_UP, *_COLLECTOR)
    given = f"{own} {os.environ.get('JDK_JAVA_OPTIONS', '')} {os.environ.get('JAVA_TOOL_OPTIONS', '')}"
    return (_QUICK, _CODE_CACHE, *(() if _CHOSEN_COLLECTOR.search(given) else (_SERIAL,)))
