"""What queries took since the server started: for its metrics, and for whoever looks at a query."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram

from headwater.serve.store.answering import QueryAnswer

__all__ = ["AnsweredQueries"]

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)  # of answers, as a histogram
NEWEST = 1000  # answers of a query that its percentiles are of


class AnsweredQueries:
    """What queries took since the server started, for its metrics. Safe for many threads."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._lock = threading.Lock()
        self._newest: dict[str, deque[tuple[float, int]]] = {}
        self._counters: dict[str, tuple[Counter, Counter, Histogram]] = {}  # finding them takes longest
        self._operations = self._counter("headwater_store_operations", "Operations of the store")
        self._answers = self._counter("headwater_query_answers", "Answers given")
        self._breaches = self._counter("headwater_query_bound_exceeded", "Answers beyond their bound: bugs")
        self._seconds = Histogram(
            "headwater_query_seconds",
            "How long an answer took",
            ["query"],
            registry=self.registry,
            buckets=SECONDS,
        )

    def count(self, query: str, answer: QueryAnswer, seconds: float) -> None:
        with self._lock:
            self._newest.setdefault(query, deque(maxlen=NEWEST)).append((seconds, answer.operations))
        answers, operations, lasted = self._of(query)
        answers.inc()
        operations.inc(answer.operations)
        lasted.observe(seconds)
        if answer.bound is not None and answer.operations > answer.bound:
            self._breaches.labels(query).inc()

    def _of(self, query: str) -> tuple[Counter, Counter, Histogram]:
        if query not in self._counters:
            self._counters[query] = (
                self._answers.labels(query), self._operations.labels(query), self._seconds.labels(query),
            )  # fmt: skip
        return self._counters[query]

    def _counter(self, name: str, text: str) -> Counter:
        return Counter(name, text, ["query"], registry=self.registry)

    def newest(self, query: str) -> dict[str, Any]:
        """How the newest answers of a query went: how long they took, the most operations one needed."""
        with self._lock:
            answers = list(self._newest.get(query, ()))
        seconds = sorted(taken for taken, _ in answers)
        return {
            "answers": len(answers),
            "p50_s": _percentile(seconds, 0.50),
            "p99_s": _percentile(seconds, 0.99),
            "most_operations": max((operations for _, operations in answers), default=None),
        }


def _percentile(ordered: list[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None
