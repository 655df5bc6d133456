"""Headwater keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark."""

from __future__ import annotations

__version__ = "0.1.0"
