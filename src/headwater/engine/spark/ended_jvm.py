"""The JVM of this process may die before the process does: out of memory, or killed by somebody.

PySpark holds on to it for ever, and every call is refused from then on.  Forgetting it lets the next session
start another; nothing of ours is lost, since nothing is visible before its commit.
"""

from __future__ import annotations

from pyspark import SparkContext
from pyspark.sql import SparkSession

__all__ = ["forget_jvm", "jvm_has_ended"]


def jvm_has_ended() -> bool:
    """Whether PySpark holds on to a JVM that is no more."""
    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def forget_jvm() -> None:
    """Let go of a JVM that has ended, with every session in it."""
    SparkContext._gateway = SparkContext._jvm = None
    SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
