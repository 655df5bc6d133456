"""Random plans: every node, nested, over given relations.

A plan comes with the types of its columns, so that conditions compare like with like and an aggregate knows
whether it adds exact numbers.  Aliases and computed columns are numbered, so names never repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from random import Random

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.tree import Column, Expr, call, equal
from headwater.algebra.expressions.types import average_type, decimal_of, is_exact, sum_type
from headwater.algebra.plans.nodes import (
    Aggregate,
    AggregateCall,
    Explode,
    Filter,
    Join,
    JoinKind,
    OuterJoin,
    Plan,
    Project,
    Scan,
    SemiJoin,
    Union,
    Windows,
)
from headwater.bench.laws.random_expressions import Typed, literal, predicate, scalar
from headwater.bench.laws.random_windows import random_over

__all__ = ["Generator", "TypedPlan"]

Relations = Mapping[str, Typed]
_DOUBLE_ONLY = ("var_samp", "var_pop", "stddev_samp", "stddev_pop")


@dataclass(frozen=True, slots=True)
class TypedPlan:
    plan: Plan
    types: tuple[str, ...]

    @property
    def typed(self) -> Typed:
        return tuple(zip(self.plan.columns, self.types, strict=True))


class Generator:
    """Generates plans over `relations`; the same seed gives the same plans.

    `failing`: how often an expression is one that can fail.
    """

    def __init__(self, random: Random, relations: Relations, failing: float = 0.0) -> None:
        self.random = random
        self.relations = relations
        self.failing = failing
        self.numbers = count(1)

    def view(self, depth: int) -> TypedPlan:
        """A plan whose columns have plain names, as a view's have."""
        typed_plan = self.plan(depth)
        columns = typed_plan.typed[:8]
        if all("." not in name for name, _ in columns) and len(columns) == len(typed_plan.types):
            return typed_plan
        items = tuple((f"c{self._number()}", Column(name)) for name, _ in columns)
        return TypedPlan(Project(typed_plan.plan, items), tuple(kind for _, kind in columns))

    def plan(self, depth: int) -> TypedPlan:
        if depth <= 0:
            return self.scan()
        makers = (
            self.filter, self.project, self.windows, self.join, self.join, self.outer, self.outer, self.semi,
            self.union, self.distinct, self.aggregate, self.aggregate, self.aggregate, self.over, self.over,
            self.explode,
        )  # fmt: skip
        return self.random.choice(makers)(depth)

    def _number(self) -> int:
        return next(self.numbers)

    def _below(self, depth: int) -> TypedPlan:
        return self.plan(depth - self.random.choice((1, 1, 2)))

    def scan(self) -> TypedPlan:
        relation = self.random.choice(sorted(self.relations))
        columns = self.relations[relation]
        alias = f"{relation[0]}{self._number()}"
        read = self.random.sample(columns, self.random.randint(max(1, len(columns) - 2), len(columns)))
        scan = Scan(relation, alias, tuple(name for name, _ in read))
        return TypedPlan(scan, tuple(kind for _, kind in read))

    def filter(self, depth: int) -> TypedPlan:
        below = self._below(depth)
        return TypedPlan(
            Filter(below.plan, predicate(self.random, below.typed, failing=self.failing)), below.types
        )

    def project(self, depth: int) -> TypedPlan:
        below = self._below(depth)
        computed = [scalar(self.random, below.typed, self.failing) for _ in range(self.random.randint(1, 4))]
        items = tuple((f"c{self._number()}", expr) for expr, _ in computed)
        return TypedPlan(Project(below.plan, items), tuple(kind for _, kind in computed))

    def windows(self, depth: int) -> TypedPlan:
        below = self._below(depth)
        times = [name for name, kind in below.typed if kind == "timestamp"]
        if not times:
            return self.filter(depth)
        lengths = self.random.choice(((4, 2, 0), (4, 4, 1), (2, 5, 0), (6, 4, 3)))
        name, time = f"c{self._number()}", Column(self.random.choice(times))
        size, slide, offset = (timedelta(seconds=seconds) for seconds in lengths)
        return TypedPlan(Windows(below.plan, name, time, size, slide, offset), (*below.types, "window"))

    def join(self, depth: int) -> TypedPlan:
        inputs = [self._below(depth) for _ in range(self.random.choice((2, 2, 2, 3)))]
        conditions: list[Expr] = []
        for before, after in zip(inputs, inputs[1:], strict=False):
            conditions += [equal(left, right) for left, right in self._pairs(before, after, 1)]
        types = tuple(kind for child in inputs for kind in child.types)
        plan = Join(tuple(child.plan for child in inputs), tuple(conditions))
        if self.random.random() < 0.3 or not conditions:
            typed = TypedPlan(plan, types).typed
            plan = Join(plan.inputs, (*conditions, predicate(self.random, typed, failing=self.failing)))
        return TypedPlan(plan, types)

    def _pairs(self, left: TypedPlan, right: TypedPlan, least: int) -> tuple[tuple[Expr, Expr], ...]:
        """Pairs of columns of the same type, at most two."""
        same: list[tuple[Expr, Expr]] = [
            (Column(name), Column(other))
            for name, kind in left.typed
            for other, other_kind in right.typed
            if kind == other_kind
        ]
        return tuple(self.random.sample(same, min(len(same), self.random.choice((least, 1, 1, 2)))))

    def outer(self, depth: int) -> TypedPlan:
        left, right = self._below(depth), self._below(depth)
        kind = self.random.choice(tuple(JoinKind))
        keys = self._pairs(left, right, 0)
        residual = self._residual(left, right)
        plan = OuterJoin(left.plan, right.plan, kind, keys, residual)
        return TypedPlan(plan, left.types + right.types)

    def semi(self, depth: int) -> TypedPlan:
        left, right = self._below(depth), self._below(depth)
        keys, residual = self._pairs(left, right, 0), self._residual(left, right)
        anti = self.random.random() < 0.5
        return TypedPlan(SemiJoin(left.plan, right.plan, keys, residual, anti), left.types)

    def _residual(self, left: TypedPlan, right: TypedPlan) -> Expr | None:
        if self.random.random() < 0.7:
            return None
        return predicate(self.random, (*left.typed, *right.typed), failing=self.failing)

    def union(self, depth: int) -> TypedPlan:
        left, right = self._below(depth), self._below(depth)
        columns = left.typed[:5]
        names = tuple(f"c{self._number()}" for _ in columns)
        first = Project(
            left.plan, tuple((new, Column(old)) for new, (old, _) in zip(names, columns, strict=True))
        )
        items: list[tuple[str, Expr]] = []
        for new, (_, kind) in zip(names, columns, strict=True):
            same = [name for name, other in right.typed if other == kind]
            items.append((new, Column(self.random.choice(same)) if same else literal(self.random, kind)))
        return TypedPlan(
            Union((first, Project(right.plan, tuple(items)))), tuple(kind for _, kind in columns)
        )

    def distinct(self, depth: int) -> TypedPlan:
        below = self._below(depth)
        columns = below.typed[:3]
        keys = tuple((f"c{self._number()}", Column(name)) for name, _ in columns)
        return TypedPlan(Aggregate(below.plan, keys, ()), tuple(kind for _, kind in columns))

    def over(self, depth: int) -> TypedPlan:
        below = self._below(depth)
        ranked, types = random_over(self.random, below.plan, below.typed, lambda: f"c{self._number()}")
        return TypedPlan(ranked, types)

    def explode(self, depth: int) -> TypedPlan:
        """stack(2, a, b): two rows of each, one with a, one with b."""
        below = self._below(depth)
        column, kind = self.random.choice(below.typed)
        other = self.random.choice([name for name, other in below.typed if other == kind])
        generator = call("stack", number(2), Column(column), Column(other))
        plan = Explode(below.plan, (f"c{self._number()}",), generator, self.random.random() < 0.5)
        return TypedPlan(plan, (*below.types, kind))

    def aggregate(self, depth: int) -> TypedPlan:
        below = self._below(depth)
        keys = [
            scalar(self.random, below.typed, self.failing) for _ in range(self.random.choice((0, 1, 1, 1, 2)))
        ]
        linear = self.random.random() < 0.5
        calls = [self.aggregate_call(below.typed, linear) for _ in range(self.random.randint(1, 3))]
        named = tuple((f"c{self._number()}", expr) for expr, _ in keys)
        plan = Aggregate(below.plan, named, tuple(call for call, _ in calls))
        return TypedPlan(plan, (*(kind for _, kind in keys), *(kind for _, kind in calls)))

    def aggregate_call(self, columns: Typed, linear: bool) -> tuple[AggregateCall, str]:
        argument, kind = scalar(self.random, columns, self.failing)
        function, distinct, result = self._function(kind, linear)
        where = predicate(self.random, columns, 1, self.failing) if self.random.random() < 0.2 else None
        name = f"c{self._number()}"
        if function == "count" and not distinct and self.random.random() < 0.5:
            return AggregateCall(name, "count", (), "count(1)", where=where), "bigint"
        template = f"{function}(DISTINCT {{0}})" if distinct else f"{function}({{0}})"
        return AggregateCall(name, function, (argument,), template, distinct, kind, where), result

    def _function(self, kind: str, linear: bool) -> tuple[str, bool, str]:
        """(function, DISTINCT, result type) of an aggregate over values of a type."""
        choices = [("count", False, "bigint")]
        if kind == "boolean":
            choices += [("bool_and", False, kind), ("bool_or", False, kind)]
        if is_exact(kind) and (decimal_of(kind) or (0, 0))[0] <= 24:
            choices += [("sum", False, sum_type(kind)), ("avg", False, average_type(kind))]
        if not linear:
            choices += [("min", False, kind), ("max", False, kind), ("count", True, "bigint")]
            if kind == "double" or is_exact(kind):
                choices += [(name, False, "double") for name in _DOUBLE_ONLY]
            if kind == "double":
                choices += [("sum", False, kind), ("avg", False, kind)]
            if is_exact(kind):
                choices.append(("sum", True, sum_type(kind)))
        return self.random.choice(choices)
