"""Edges: the instants at which windows start or end, as classes `residue mod modulus` of microseconds.

Windows of 5 s every 3 s start at every multiple of 3 s and end 5 s later: edges at 0 and 2 s modulo 3 s.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from headwater.algebra.expressions.tree import Call, Expr, Literal

__all__ = ["Edges", "covers", "edges_in", "least", "window_edges"]

Edge = tuple[int, int]  # residue, modulus
Edges = tuple[Edge, ...]


def window_edges(size: timedelta, slide: timedelta, offset: timedelta) -> Edges:
    """Where windows start and where they end."""
    every, start = _micros(slide), _micros(offset)
    return tuple({(edge % every, every): None for edge in (start, start + _micros(size))})


def least(edges: Iterable[Edge]) -> Edges:
    """The same instants, each class once and none inside another, in an order of their own."""
    classes = dict.fromkeys(edges)
    outer = (edge for edge in classes if not any(other != edge and _inside(edge, other) for other in classes))
    return tuple(sorted(outer, key=lambda edge: (edge[1], edge[0])))


def covers(wide: Edges, narrow: Edges) -> bool:
    """Whether every class of the one lies inside a class of the other."""
    return all(any(_inside(edge, other) for other in wide) for edge in narrow)


def edges_in(expr: Expr) -> Edges:
    """The edges that a fragment(...) has; none if it is something else."""
    if not isinstance(expr, Call) or expr.function != "fragment":
        return ()
    numbers = [part.value for part in expr.arguments[1:] if isinstance(part, Literal)]
    whole = [value for value in numbers if isinstance(value, int)]
    return tuple(zip(whole[::2], whole[1::2], strict=True))


def _inside(narrow: Edge, wide: Edge) -> bool:
    return narrow[1] % wide[1] == 0 and narrow[0] % wide[1] == wide[0]


def _micros(duration: timedelta) -> int:
    return duration // timedelta(microseconds=1)
