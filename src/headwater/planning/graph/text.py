"""Plan graphs as text and back: what golden tests are written in, and a plan that can be mailed.

    relation tweets*users
      input tweets [tweets.lang = 'en']
      input users
      equal tweets.uid = users.uid

    capture tweets@m1 -> d(tweets)@m1 | S1 S2
    join d(tweets)@m2, users@m2 -> d(tweets*users by tweets)@m2 | S1

First the relations that are more than a source as it is, each with its inputs, filters, classes of equal
columns and further conditions, under a short name of the graph's own (`~2` tells apart two that would have
the same).  Then the edges, sources first, with the views that each serves.  A vertex has a line only if
it serves other views than the edges at it, or has none.

Equal graphs have equal texts, and `parse_graph(show_graph(g)) == g`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from headwater.algebra.expressions.tree import Column, Expr
from headwater.algebra.text.expressions import Reader, show_name, show_readable
from headwater.errors import InputError
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex, topological
from headwater.planning.relations.relations import Input, Relation

__all__ = ["parse_graph", "show_graph"]

_WORD = r"(?:`[^`]*`|[^\s,()@|`])+"
_VERTEX = re.compile(
    rf"(?:d\((?P<delta>{_WORD})(?: by (?P<driven>{_WORD}))?\)|(?P<rows>{_WORD}))@(?P<site>{_WORD})"
)
_EDGE = re.compile(r"(?P<kind>\w+) (?P<sources>.+) -> (?P<target>.+) \|(?P<views>.*)")
_COMMA = re.compile(r", (?=[^`]*(?:`[^`]*`[^`]*)*$)")  # a comma outside quoted names
_ALONE = re.compile(r"vertex (?P<vertex>.+) \|(?P<views>.*)")


def show_graph(graph: PlanGraph) -> str:
    """The graph as text, without a newline at its end."""
    labels = _labels(graph)
    lines = [line for relation, label in labels.items() for line in _relation(relation, label)]
    lines += [""] if lines else []
    depths = _depths(graph)
    edges = [(depths[edge.target], _edge(edge, labels), serves) for edge, serves in graph.edges.items()]
    lines += [f"{text} |{_views(serves)}" for _, text, serves in sorted(edges, key=lambda edge: edge[:2])]
    lines += sorted(
        f"vertex {_vertex(vertex, labels)} |{_views(serves)}" for vertex, serves in _alone(graph).items()
    )
    return "\n".join(lines)


def _labels(graph: PlanGraph) -> dict[Relation, str]:
    """A name for every relation, in order: the smaller first."""
    used = {vertex.relation for vertex in graph.vertices}
    used |= {vertex.driven for vertex in graph.vertices if vertex.driven is not None}
    by_name: defaultdict[str, list[Relation]] = defaultdict(list)
    for relation in sorted(used, key=lambda one: (len(one.inputs), not _is_plain(one), repr(one))):
        by_name[_short_name(relation)].append(relation)
    return {
        relation: name + (f"~{number}" if number > 1 else "")
        for name, same in sorted(by_name.items(), key=lambda item: (len(item[1][0].inputs), item[0]))
        for number, relation in enumerate(same, 1)
    }


def _short_name(relation: Relation) -> str:
    if relation.view:
        return show_name(relation.view)
    return "*".join(show_name(input.name) for input in relation.inputs)


def _is_plain(relation: Relation) -> bool:
    """A source as it is: its name says it all."""
    return relation == Relation((_plain_input(relation.inputs[0].name),))


def _plain_input(name: str) -> Input:
    return Input(name, _source_of(name))


def _source_of(name: str) -> str:
    """The source that an input is an occurrence of, unless its line says otherwise."""
    return name.split("#")[0]


def _relation(relation: Relation, label: str) -> Iterator[str]:
    if _is_plain(relation) and "~" not in label:
        return
    yield f"relation {label}"
    if relation.view:
        yield f"  view {show_name(relation.view)}"
    for input in relation.inputs:
        of = "" if input.relation == _source_of(input.name) else f" of {show_name(input.relation)}"
        filters = f" [{', '.join(map(show_readable, input.filters))}]" if input.filters else ""
        yield f"  input {show_name(input.name)}{of}{filters}"
    for group in relation.equal:
        yield f"  equal {' = '.join(map(show_name, group))}"
    for condition in relation.conditions:
        yield f"  where {show_readable(condition)}"


def _vertex(vertex: Vertex, labels: Mapping[Relation, str]) -> str:
    inside = labels[vertex.relation] + (f" by {labels[vertex.driven]}" if vertex.driven else "")
    return f"{f'd({inside})' if vertex.delta else inside}@{show_name(vertex.site)}"


def _edge(edge: Edge, labels: Mapping[Relation, str]) -> str:
    sources = ", ".join(_vertex(source, labels) for source in edge.sources)
    return f"{edge.kind.value} {sources} -> {_vertex(edge.target, labels)}"


def _views(serves: Iterable[str]) -> str:
    return "".join(f" {show_name(view)}" for view in sorted(serves))


def _depths(graph: PlanGraph) -> dict[Vertex, int]:
    depths: defaultdict[Vertex, int] = defaultdict(int)
    for edge in topological(graph):
        depths[edge.target] = max(depths[edge.target], 1 + max(depths[source] for source in edge.sources))
    return depths


def _served(edges: Mapping[Edge, frozenset[str]]) -> dict[Vertex, frozenset[str]]:
    """The views of the edges at each vertex."""
    served: defaultdict[Vertex, frozenset[str]] = defaultdict(frozenset)
    for edge, serves in edges.items():
        for vertex in (*edge.sources, edge.target):
            served[vertex] |= serves
    return dict(served)


def _alone(graph: PlanGraph) -> dict[Vertex, frozenset[str]]:
    served = _served(graph.edges)
    return {vertex: serves for vertex, serves in graph.vertices.items() if served.get(vertex) != serves}


def parse_graph(text: str) -> PlanGraph:
    """The graph that `show_graph` would print as this text."""
    relations: dict[str, Relation] = {}
    edges: dict[Edge, frozenset[str]] = {}
    alone: dict[Vertex, frozenset[str]] = {}
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    for at, line in enumerate(lines):
        if line.startswith("relation "):
            relations[line[9:].strip()] = _read_relation(lines[at + 1 :])
        elif line.startswith("vertex ") and (match := _ALONE.fullmatch(line)):
            alone[_read_vertex(match["vertex"], relations)] = _read_views(match["views"])
        elif not line.startswith(" "):
            edge, serves = _read_edge(line, relations)
            edges[edge] = serves
    return PlanGraph(edges, {**_served(edges), **alone})


def _read_relation(lines: list[str]) -> Relation:
    """The indented lines that come first."""
    inputs: list[Input] = []
    equal: list[tuple[str, ...]] = []
    conditions: list[Expr] = []
    view = ""
    for line in lines:
        if not line.startswith("  "):
            break
        reader = Reader(line)
        match reader.name():
            case "input":
                inputs.append(_read_input(reader))
            case "equal":
                equal.append(_read_class(reader))
            case "where":
                conditions.append(reader.expr())
            case "view":
                view = reader.name()
            case _:
                raise InputError("HW923", f"a relation has inputs, equal, where and view, not: {line}")
    return Relation(tuple(inputs), tuple(equal), tuple(conditions), view)


def _read_input(reader: Reader) -> Input:
    name = reader.name()
    relation = reader.name() if reader.accept("of") else _source_of(name)
    filters: list[Expr] = []
    if reader.accept("["):
        filters.append(reader.expr())
        while reader.accept(","):
            filters.append(reader.expr())
        reader.expect("]")
    return Input(name, relation, tuple(filters))


def _read_class(reader: Reader) -> tuple[str, ...]:
    columns = [reader.name()]
    while reader.accept("="):
        columns.append(reader.name())
    return tuple(columns)


def _read_edge(line: str, relations: Mapping[str, Relation]) -> tuple[Edge, frozenset[str]]:
    match = _EDGE.fullmatch(line)
    kinds = {kind.value: kind for kind in EdgeKind}
    if match is None or match["kind"] not in kinds:
        raise InputError("HW923", f"this is no edge of a plan: {line}")
    sources = tuple(_read_vertex(source, relations) for source in _COMMA.split(match["sources"]))
    edge = Edge(kinds[match["kind"]], sources, _read_vertex(match["target"], relations))
    return edge, _read_views(match["views"])


def _read_vertex(text: str, relations: Mapping[str, Relation]) -> Vertex:
    match = _VERTEX.fullmatch(text)
    if match is None:
        raise InputError("HW923", f"this is no vertex of a plan: {text}")
    delta = match["delta"] is not None
    relation = _named(match["delta"] or match["rows"], relations)
    driven = _named(match["driven"], relations) if match["driven"] else None
    return Vertex(relation, Reader(match["site"]).name(), delta, driven)


def _named(label: str, relations: Mapping[str, Relation]) -> Relation:
    """The relation of that label: one that was given before, or a source."""
    if label in relations:
        return relations[label]
    column = Reader(label).expr()
    if not isinstance(column, Column):
        raise InputError("HW923", f"{label} is used in a plan, but no relation of that name is given")
    return Relation((_plain_input(column.name),))


def _read_views(text: str) -> frozenset[str]:
    return frozenset(Reader(word).name() for word in re.findall(_WORD, text))
