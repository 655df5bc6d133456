"""The plans of the paper's Figure 3: A and B joined in one of four ways."""

from __future__ import annotations

from pathlib import Path

from headwater.planning.graph.graph import Edge
from headwater.planning.graph.site_relations import applied, base, captured, copied, joined
from headwater.planning.graph.text import parse_graph
from headwater.planning.relations.relations import Input, Relation

A, B, C = (Input(name, name) for name in "ABC")
AB = Relation((A, B), (("A.k", "B.k"),))
IN_PLACE = (
    Path(__file__).parents[2] / "planning" / "remembered" / "in_place.graph"
)  # no longer offered; still read


def figure(case: str, sites: str = "123") -> tuple[Edge, ...]:
    """A at m1 and B at m2 joined for m3, in one of the ways of Figure 3; (a) is Figure 2, as a plan of old."""
    if case == "a":
        return tuple(parse_graph(IN_PLACE.read_text()).edges)
    first, second, third = (f"m{site}" for site in sites)
    left, right = base(A, first), base(B, second)
    edges = [captured(left), captured(right)]
    if case in "cd":
        left, copy = copied(left, second if case == "c" else third)
        edges += copy
    if case in "bd":
        right, copy = copied(right, first if case == "b" else third)
        edges += copy
    result, join = joined(left, right, AB, third)
    return (*edges, *join, applied(result))
