"""Where a plan's boxes stand: a lane for each site, a column for each step, few crossings.

A small plan shows every vertex.  A large one is folded: a relation, its delta and its halves at one site
become one box, and what remains between boxes is what costs something, copies and joins.

    column   one right of all that it is made from, so every line runs to the right
    lane     its site; a lane is as tall as its fullest column
    slot     within lane and column: as near as possible to the middle of its neighbours.  A few sweeps to
             the right and back, as in Sugiyama's method, straighten lines and undo most crossings

Doubt: a remembered plan may join halves of one relation at two sites that send deltas to each other.  Folding
makes a circle of that, whose last line runs back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex

__all__ = ["Layout", "Link", "Node", "fold", "lay_out", "unfold"]

SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Node:
    """A box: one vertex, or all vertices of a relation at a site."""

    vertex: Vertex  # the relation itself if it is there, else its delta, else a half
    views: frozenset[str]
    members: frozenset[Vertex]


@dataclass(frozen=True, slots=True)
class Link:
    source: Node
    target: Node
    kind: EdgeKind
    critical: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns count from the left, slots from the top, over all lanes."""

    positions: Mapping[Node, tuple[int, int]]  # (column, slot)
    lanes: Mapping[str, tuple[int, int]]  # site -> (first slot, slots)
    links: tuple[Link, ...]


def unfold(graph: PlanGraph, critical: Collection[Edge] = ()) -> tuple[list[Node], list[Link]]:
    """A box for every vertex."""
    nodes = {vertex: Node(vertex, serves, frozenset({vertex})) for vertex, serves in graph.vertices.items()}
    return list(nodes.values()), _links(graph, nodes, critical)


def fold(graph: PlanGraph, critical: Collection[Edge] = ()) -> tuple[list[Node], list[Link]]:
    """A box for every relation at a site."""
    groups: defaultdict[tuple[object, str], list[Vertex]] = defaultdict(list)
    for vertex in graph.vertices:
        groups[vertex.relation, vertex.site].append(vertex)
    nodes: dict[Vertex, Node] = {}
    for members in groups.values():
        chief = min(members, key=lambda vertex: (vertex.delta, vertex.driven is not None))
        serves = frozenset().union(*(graph.vertices[vertex] for vertex in members))
        nodes |= dict.fromkeys(members, Node(chief, serves, frozenset(members)))
    return list(dict.fromkeys(nodes.values())), _links(graph, nodes, critical)


def _links(graph: PlanGraph, nodes: Mapping[Vertex, Node], critical: Collection[Edge]) -> list[Link]:
    """One line for each pair of boxes, however many edges run there."""
    lines: dict[tuple[Node, Node], tuple[EdgeKind, bool]] = {}
    reached = {edge.target for edge in critical}
    reached |= {edge.sources[0] for edge in critical if reached.isdisjoint(edge.sources)}
    for edge in graph.edges:
        for source in edge.sources:
            pair = nodes[source], nodes[edge.target]
            if pair[0] != pair[1]:
                kind, before = lines.get(pair, (edge.kind, False))
                lines[pair] = kind, before or (edge in critical and source in reached)
    return [Link(source, target, kind, red) for (source, target), (kind, red) in lines.items()]


def lay_out(nodes: Sequence[Node], links: Sequence[Link], sites: Sequence[str] = ()) -> Layout:
    """Where everything stands."""
    columns = _columns(nodes, links)
    present = list(dict.fromkeys([*sites, *sorted({node.vertex.site for node in nodes})]))
    stacks: dict[tuple[str, int], list[Node]] = {}
    for node in sorted(nodes, key=lambda node: (node.vertex.relation.text, node.vertex.text)):
        stacks.setdefault((node.vertex.site, columns[node]), []).append(node)
    lanes = _lanes(present, stacks)
    slots = {
        node: lanes[site][0] + at for (site, _), stack in stacks.items() for at, node in enumerate(stack)
    }
    near = _neighbours(links)
    for sweep in range(SWEEPS):
        order = sorted(stacks, key=lambda key: key[1], reverse=bool(sweep % 2))
        for key in order:
            slots |= _settle(stacks[key], lanes[key[0]], slots, near)
    return Layout({node: (columns[node], slots[node]) for node in nodes}, lanes, tuple(links))


def _columns(nodes: Sequence[Node], links: Sequence[Link]) -> dict[Node, int]:
    """The longest path from the left; lines that would close a circle do not count."""
    sources: defaultdict[Node, list[Node]] = defaultdict(list)
    for link in links:
        sources[link.target].append(link.source)
    column: dict[Node, int] = {}
    open_nodes: set[Node] = set()

    def column_of(node: Node) -> int:
        if node not in column:
            open_nodes.add(node)
            before = [column_of(source) for source in sources[node] if source not in open_nodes]
            open_nodes.discard(node)
            column[node] = 1 + max(before, default=-1)
        return column[node]

    for node in nodes:
        column_of(node)
    return column


def _lanes(sites: Sequence[str], stacks: Mapping[tuple[str, int], list[Node]]) -> dict[str, tuple[int, int]]:
    lanes, first = {}, 0
    for site in sites:
        tallest = max((len(stack) for (at, _), stack in stacks.items() if at == site), default=1)
        lanes[site] = (first, tallest)
        first += tallest
    return lanes


def _neighbours(links: Iterable[Link]) -> dict[Node, list[Node]]:
    near: defaultdict[Node, list[Node]] = defaultdict(list)
    for link in links:
        near[link.source].append(link.target)
        near[link.target].append(link.source)
    return near


def _settle(
    stack: list[Node], lane: tuple[int, int], slots: Mapping[Node, int], near: Mapping[Node, list[Node]]
) -> dict[Node, int]:
    """Each node of a stack as near to the middle of its neighbours as the others leave room."""
    first, count = lane
    wish = {node: _middle([slots[other] for other in near.get(node, ())], slots[node]) for node in stack}
    stack.sort(key=lambda node: wish[node])
    settled, lowest = {}, first
    for at, node in enumerate(stack):
        highest = first + count - (len(stack) - at)
        settled[node] = max(lowest, min(highest, round(wish[node])))
        lowest = settled[node] + 1
    return settled


def _middle(values: Sequence[int], otherwise: int) -> float:
    return sum(values) / len(values) if values else float(otherwise)
