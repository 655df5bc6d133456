"""Run a plan on tiny data, edge by edge, and see whether each view is what its join says: the law for plans.

A row of a relation is a tuple with one row of each of its inputs, so a join glues tuples together.  Every
push changes the sources, then the edges run in topological order:

    capture   the source's changes            copy      what the target keeps of the source's changes
    join      dX with Y: as of before the push where X comes before Y in the alphabet, else as of after it;
              so dX * Y.old + X.new * dY, whichever plan made the two halves
    union     the sum                         apply     add the changes to the relation
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from headwater.algebra.expressions.compile import holds
from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex
from headwater.planning.relations.relations import Input, Relation, Sharing

Row = tuple[object, ...]
Rows = Counter[tuple[Row, ...]]
Schemas = Mapping[str, tuple[str, ...]]  # source -> its columns


@dataclass
class Plan:
    """A plan that runs: the sources' rows, what each relation holds, and each delta of the last push."""

    graph: PlanGraph
    schemas: Schemas
    sources: dict[str, Rows]
    state: dict[Vertex, Rows] = field(default_factory=dict)
    before: dict[Vertex, Rows] = field(default_factory=dict)
    deltas: dict[Vertex, Rows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.order = _ordered(self.graph)
        for vertex in self.graph.vertices:
            if not vertex.delta:
                self.state[vertex] = join_of(vertex.relation, self.schemas, self.sources)

    def push(self, changes: Mapping[str, Rows]) -> None:
        """Advance everything by some changes of the sources."""
        self.before = dict(self.state)
        self.deltas = {}
        self.sources = {
            name: _plus(rows, changes.get(name, Counter())) for name, rows in self.sources.items()
        }
        for vertex in self.graph.vertices:
            if not vertex.delta and not any(edge.target == vertex for edge in self.graph.edges):
                assert vertex.relation.is_base, f"nothing produces {vertex.text}"
                self.state[vertex] = self.sources[vertex.relation.inputs[0].relation]
        for edge in self.order:
            self._run(edge, changes)

    def _run(self, edge: Edge, changes: Mapping[str, Rows]) -> None:
        match edge.kind:
            case EdgeKind.CAPTURE:
                captured = changes.get(edge.target.relation.inputs[0].relation, Counter())
                self._give(edge.target, captured)
            case EdgeKind.JOIN:
                self._give(edge.target, self._join(edge))
            case EdgeKind.UNION:
                self._give(edge.target, _plus(*(self.deltas[half] for half in edge.sources)))
            case EdgeKind.APPLY:
                (source,) = edge.sources
                assert not edge.target.delta
                assert source.site == edge.target.site
                self.state[edge.target] = _plus(self.state[edge.target], self._kept(source, edge.target))
            case _:
                self._give(edge.target, self._kept(edge.sources[0], edge.target))

    def _kept(self, source: Vertex, target: Vertex) -> Rows:
        assert source.relation.names == target.relation.names
        keeps = keep(target.relation, self.schemas)
        return Counter({row: weight for row, weight in self.deltas[source].items() if keeps(row)})

    def _give(self, target: Vertex, rows: Rows) -> None:
        assert target not in self.deltas, f"{target.text} is produced twice"
        assert target.delta
        self.deltas[target] = rows

    def _join(self, edge: Edge) -> Rows:
        delta, relation = edge.sources
        assert delta.site == relation.site == edge.target.site
        assert delta.delta
        assert not relation.delta
        assert edge.target.driven is not None
        assert edge.target.driven.names == delta.relation.names
        assert not delta.relation.names & relation.relation.names
        assert delta.relation.names | relation.relation.names == edge.target.relation.names
        earlier = min(delta.relation.names) < min(relation.relation.names)
        other = (self.before if earlier else self.state)[relation]
        target = edge.target.relation
        keeps = keep(target, self.schemas)
        place = _gluing(target, delta.relation, relation.relation)
        joined: Rows = Counter()
        for left, weight in self.deltas[delta].items():
            for right, times in other.items():
                glued = tuple((*left, *right)[at] for at in place)
                if keeps(glued):
                    joined[glued] += weight * times
        return joined


def _ordered(graph: PlanGraph) -> list[Edge]:
    """Edges so that each runs after all that produce what it reads; a join also after the relation is new."""
    producers: dict[Vertex, list[Edge]] = {}
    for edge in graph.edges:
        producers.setdefault(edge.target, []).append(edge)
    for vertex, edges in producers.items():
        assert len(edges) == 1, f"{vertex.text} is produced {len(edges)} times"
    needs = {
        edge: [made for source in edge.sources for made in producers.get(source, ())] for edge in graph.edges
    }
    for vertex in graph.vertices:
        assert not vertex.delta or vertex in producers, f"nothing produces {vertex.text}"
    return list(TopologicalSorter(needs).static_order())


def _gluing(target: Relation, left: Relation, right: Relation) -> list[int]:
    names = [input.name for input in (*left.inputs, *right.inputs)]
    return [names.index(input.name) for input in target.inputs]


def keep(relation: Relation, schemas: Schemas):  # type: ignore[no-untyped-def]
    """Whether a glued row satisfies all that the relation asks: filters, equalities, conditions."""
    columns = tuple(
        f"{input.name}.{column}" for input in relation.inputs for column in schemas[input.relation]
    )
    filters = [condition for input in relation.inputs for condition in input.filters]
    checks = [holds(condition, columns) for condition in (*filters, *relation.join_conditions())]
    return lambda row: all(check(tuple(value for part in row for value in part)) for check in checks)


def join_of(relation: Relation, schemas: Schemas, sources: Mapping[str, Rows]) -> Rows:
    """The relation, from its definition."""
    rows: Rows = Counter({(): 1})
    for at, input in enumerate(relation.inputs):
        inputs = relation.inputs[: at + 1]
        keeps = keep(_first(relation, inputs), schemas)
        grown: Rows = Counter()
        for left, weight in rows.items():
            for (right,), times in sources[input.relation].items():
                if keeps((*left, right)):
                    grown[(*left, right)] += weight * times
        rows = grown
    return rows


def _first(relation: Relation, inputs: tuple[Input, ...]) -> Relation:
    """The part of some inputs: groups are cut to them (conditions wait for the whole)."""
    names = {input.name for input in inputs}
    groups = tuple(
        tuple(column for column in group if column.rsplit(".", 1)[0] in names) for group in relation.equal
    )
    return Relation(inputs, groups, relation.conditions if inputs == relation.inputs else ())


def _plus(*several: Mapping[tuple[Row, ...], int]) -> Rows:
    total: Rows = Counter()
    for rows in several:
        for row, weight in rows.items():
            total[row] += weight
    return Counter({row: weight for row, weight in total.items() if weight})


def check_plan(
    graph: PlanGraph,
    sharings: Iterable[Sharing],
    schemas: Schemas,
    seed: int = 0,
    pushes: int = 3,
    values: int = 3,
) -> int:
    """Run some random pushes; every view equals its join after each. The number of rows that were compared."""
    randomly = random.Random(seed)
    sources = {name: _some_rows(columns, randomly, values) for name, columns in schemas.items()}
    plan = Plan(graph, schemas, sources)
    compared = 0
    for _ in range(pushes):
        plan.push(
            {name: _some_changes(plan.sources[name], schemas[name], randomly, values) for name in schemas}
        )
        for sharing in sharings:
            result = Vertex(sharing.result, sharing.site)
            wanted = join_of(sharing.core, schemas, plan.sources)
            assert plan.state[result] == wanted, f"{sharing.view} is wrong"
            compared += len(wanted)
    return compared


def _some_rows(columns: tuple[str, ...], randomly: random.Random, values: int) -> Rows:
    return Counter({(_row(columns, randomly, values),): 1 for _ in range(randomly.randint(1, 4))})


def _row(columns: tuple[str, ...], randomly: random.Random, values: int) -> Row:
    return tuple(None if randomly.random() < 0.05 else randomly.randrange(values) for _ in columns)


def _some_changes(rows: Rows, columns: tuple[str, ...], randomly: random.Random, values: int) -> Rows:
    gone = {row: -1 for row in rows if randomly.random() < 0.3}
    come = {(_row(columns, randomly, values),): 1 for _ in range(randomly.randint(0, 3))}
    return _plus(gone, come)
