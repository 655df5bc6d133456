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

from headwater.algebra.expressions import Column, Expr
from headwater.algebra.text_expressions import Reader, show_expr, show_name
from headwater.errors import InputError
from headwater.sharing.graph import Edge, EdgeKind, PlanGraph, Vertex, topological
from headwater.sharing.relations import Input, Relation

__all__ = ["parse_graph", "show_graph"]

_WORD = r"(?:`[^`]*`|[^\s,()@|`])+"
_VERTEX = re.compile(
    rf"(?:d\((?P<delta>{_WORD})(?: by (?P<driven>{_WORD}))?\)|(?P<rows>{_WORD}))@(?P<site>{_WORD})"
)
_EDGE = re.compile(r"(?P<kind>\w+) (?P<sources>.+) -> (?P<target>.+) \|(?P<views>.*)")
_COMMA = re.compile(r", (?=[^`]*(?:`[^`]*`[^`]*)*$)")  # one that is not within a quoted name
_ALONE = re.compile(r"vertex (?P<vertex>.+) \|(?P<views>.*)")


def show_graph(graph: PlanGraph) -> str:
    """The graph as text, without a newline at its end."""
    labels = _labels(graph)
    lines = [line for relation, label in labels.items() for line in _relation(relation, label)]
    lines += [""] if lines else []
    depths = _depths(graph)
    edges = [(depths[edge.target], _edge(edge, labels), serves) for edge, serves in graph.edges.items()]
    lines += [f"{text} |{_views(serves)}" for _, text, serves in sorted(edges, key=lambda one: one[:2])]
    lines += sorted(
        f"vertex {_vertex(vertex, labels)} |{_views(serves)}" for vertex, serves in _alone(graph).items()
    )
    return "\n".join(lines)


def _labels(graph: PlanGraph) -> dict[Relation, str]:
    """A name for every relation, in order: the smaller first."""
    used = {one for vertex in graph.vertices for one in (vertex.relation, vertex.driven) if one is not None}
    named: defaultdict[str, list[Relation]] = defaultdict(list)
    for relation in sorted(used, key=lambda one: (len(one.inputs), not _plain(one), repr(one))):
        named[_short(relation)].append(relation)
    return {
        one: name + (f"~{number}" if number > 1 else "")
        for name, same in sorted(named.items(), key=lambda item: (len(item[1][0].inputs), item[0]))
        for number, one in enumerate(same, 1)
    }


def _short(relation: Relation) -> str:
    return (
        show_name(relation.view)
        if relation.view
        else "*".join(show_name(one.name) for one in relation.inputs)
    )


def _plain(relation: Relation) -> bool:
    """A source as it is: its name says it all."""
    one = relation.inputs[0]
    return relation.is_base and not relation.equal and not relation.conditions and one == _input_of(one.name)


def _input_of(name: str) -> Input:
    return Input(name, name.split("#")[0])


def _relation(relation: Relation, label: str) -> Iterator[str]:
    if _plain(relation) and "~" not in label:
        return
    yield f"relation {label}"
    if relation.view:
        yield f"  view {show_name(relation.view)}"
    for one in relation.inputs:
        of = (
            ""
            if one == Input(_input_of(one.name).name, _input_of(one.name).relation, one.filters)
            else " of "
        )
        filters = f" [{', '.join(map(show_expr, one.filters))}]" if one.filters else ""
        yield f"  input {show_name(one.name)}{of}{show_name(one.relation) if of else ''}{filters}"
    for group in relation.equal:
        yield f"  equal {' = '.join(map(show_name, group))}"
    for condition in relation.conditions:
        yield f"  where {show_expr(condition)}"


def _vertex(vertex: Vertex, labels: Mapping[Relation, str]) -> str:
    inside = labels[vertex.relation] + (f" by {labels[vertex.driven]}" if vertex.driven else "")
    return f"{f'd({inside})' if vertex.delta else inside}@{show_name(vertex.site)}"


def _edge(edge: Edge, labels: Mapping[Relation, str]) -> str:
    sources = ", ".join(_vertex(one, labels) for one in edge.sources)
    return f"{edge.kind.value} {sources} -> {_vertex(edge.target, labels)}"


def _views(serves: Iterable[str]) -> str:
    return "".join(f" {show_name(one)}" for one in sorted(serves))


def _depths(graph: PlanGraph) -> dict[Vertex, int]:
    depths: defaultdict[Vertex, int] = defaultdict(int)
    for edge in topological(graph):
        depths[edge.target] = max(depths[edge.target], 1 + max(depths[one] for one in edge.sources))
    return depths


def _served(edges: Mapping[Edge, frozenset[str]]) -> dict[Vertex, frozenset[str]]:
    """The views of the edges at each vertex."""
    found: defaultdict[Vertex, frozenset[str]] = defaultdict(frozenset)
    for edge, serves in edges.items():
        for vertex in (*edge.sources, edge.target):
            found[vertex] |= serves
    return dict(found)


def _alone(graph: PlanGraph) -> dict[Vertex, frozenset[str]]:
    served = _served(graph.edges)
    return {vertex: serves for vertex, serves in graph.vertices.items() if served.get(vertex) != serves}


def parse_graph(text: str) -> PlanGraph:
    """The graph that `show_graph` would print as this text."""
    relations: dict[str, Relation] = {}
    edges: dict[Edge, frozenset[str]] = {}
    alone: dict[Vertex, frozenset[str]] = {}
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    for at, line in enumerate(lines):
        if line.startswith("relation "):
            relations[line[9:].strip()] = _read_relation(lines[at + 1 :])
        elif line.startswith("vertex ") and (found := _ALONE.fullmatch(line)):
            alone[_read_vertex(found["vertex"], relations)] = _read_views(found["views"])
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
                raise InputError("HW303", f"a relation has inputs, equal, where and view, not: {line}")
    return Relation(tuple(inputs), tuple(equal), tuple(conditions), view)


def _read_input(reader: Reader) -> Input:
    name = reader.name()
    relation = reader.name() if reader.accept("of") else _input_of(name).relation
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
    found = _EDGE.fullmatch(line)
    kinds = {kind.value: kind for kind in EdgeKind}
    if found is None or found["kind"] not in kinds:
        raise InputError("HW303", f"this is no edge of a plan: {line}")
    sources = tuple(_read_vertex(one, relations) for one in _COMMA.split(found["sources"]))
    edge = Edge(kinds[found["kind"]], sources, _read_vertex(found["target"], relations))
    return edge, _read_views(found["views"])


def _read_vertex(text: str, relations: Mapping[str, Relation]) -> Vertex:
    found = _VERTEX.fullmatch(text)
    if found is None:
        raise InputError("HW303", f"this is no vertex of a plan: {text}")
    delta = found["delta"] is not None
    relation = _read_name(found["delta"] or found["rows"], relations)
    driven = _read_name(found["driven"], relations) if found["driven"] else None
    return Vertex(relation, Reader(found["site"]).name(), delta, driven)


def _read_name(label: str, relations: Mapping[str, Relation]) -> Relation:
    """A relation that was given before, or a source."""
    if label in relations:
        return relations[label]
    column = Reader(label).expr()
    if not isinstance(column, Column):
        raise InputError("HW303", f"{label} is used in a plan, but no relation of that name is given")
    return Relation((_input_of(column.name),))


def _read_views(text: str) -> frozenset[str]:
    return frozenset(Reader(one).name() for one in re.findall(_WORD, text))
