"""What the search asks about its block again and again, and the states it extends.

A state is a bounded plan for a set of sources.  Conditions, lossless joins and plans of derived sources
depend only on that set, so each is worked out once for a set, however many states there are of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.facts import aliases_of, columns_in, is_of_one_row, is_value
from headwater.algebra.expressions.tree import Column, Expr, Parameter, call
from headwater.bounds.plans.access.path import Groups
from headwater.bounds.plans.subplans import BoundedPlan, Planner
from headwater.bounds.query.block import Base, Derived, Order, Select
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.conditions import Conditions, conditions_on
from headwater.bounds.query.lossless import Lossless, lossless
from headwater.bounds.query.settings import Settings, count_bound

__all__ = ["BlockSearch", "State"]


@dataclass(frozen=True, slots=True)
class State:
    """A plan for the sources `done`; `cut`: LIMIT is taken; `expects`: why sources to come must match."""

    bounded: BoundedPlan
    done: frozenset[str]
    cut: bool = False
    expects: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class BlockSearch:
    """The block under search, with the answers remembered for each set of sources."""

    block: Select
    settings: Settings
    plan_query: Planner
    cuttable: bool
    classes: Classes = field(init=False)
    needed: dict[str, frozenset[str]] = field(init=False)  # the columns that the block reads of each source
    most: int | None = field(init=False)  # rows that the block's cut asks for, if it may be taken early
    _lossless: dict[frozenset[str], Lossless | None] = field(default_factory=dict)
    _derived: dict[str, BoundedPlan | None] = field(default_factory=dict)
    _conditions: dict[tuple[frozenset[str], str], Conditions] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.classes = Classes.of(self.block.where)
        columns = {column for expr in self.block.expressions() for column in columns_in(expr)}
        self.needed = {
            alias: frozenset(column.name for column in columns if column.alias == alias)
            for alias in self.block.aliases
        }
        self.most = self._most() if self.cuttable or self.block.top is not None else None

    @property
    def order(self) -> tuple[Order, ...]:
        """The order of the cut that may be taken early: a top's, or the block's own."""
        return self.block.order if self.block.top is None else self.block.top.order

    @property
    def per(self) -> tuple[Expr, ...] | None:
        """The partitions that the cut is taken of, each by itself."""
        return None if self.block.top is None else self.block.top.partition

    def _most(self) -> int | None:
        if self.block.top is not None:
            return self.block.top.count
        limit = count_bound(self.block.limit, self.settings)
        offset = 0 if self.block.offset is None else count_bound(self.block.offset, self.settings)
        return None if limit is None or offset is None else limit + offset

    def stop(self) -> Expr:
        """How many rows the cut needs from what is below it: LIMIT + OFFSET."""
        if self.block.top is not None:
            return number(self.block.top.count)
        limit = self.block.limit
        assert limit is not None
        return limit if self.block.offset is None else call("add", limit, self.block.offset)

    def given(self, state: State) -> frozenset[str]:
        return state.done | self.settings.given

    def lossless(self, done: frozenset[str]) -> Lossless | None:
        """Why no source outside `done` can lose a row, if so."""
        if done not in self._lossless:
            self._lossless[done] = lossless(self.block, self.classes, self.settings, done)
        return self._lossless[done]

    def derived(self, source: Derived) -> BoundedPlan | None:
        if source.alias not in self._derived:
            outer = {column.alias for column in source.outer}
            inside = replace(self.settings, given=self.settings.given | outer)
            self._derived[source.alias] = self.plan_query(source.query, inside)
        return self._derived[source.alias]

    def conditions(self, state: State, alias: str) -> Conditions:
        """What becomes checkable when `alias` joins the state; of an optional source, by its ON."""
        if (state.done, alias) not in self._conditions:
            self._conditions[state.done, alias] = self._sorted(state, alias)
        return self._conditions[state.done, alias]

    def _sorted(self, state: State, alias: str) -> Conditions:
        given, maxima = self.given(state), self.settings.maxima
        join = self.block.left_join(alias)
        if join is None:
            return conditions_on(alias, given, self.block.where, self.classes, maxima)
        classes = Classes.of(join.on)
        on = conditions_on(alias, given, join.on, classes, maxima)
        equal = tuple((term, self.classes.value_of(value, given) or value) for term, value in on.equal)
        outer = tuple(condition for condition in join.on if alias not in aliases_of(condition))
        # One value finds the partner; ON a.x = b.x AND a.y = b.x says that the others are equal to it.
        return replace(on, equal=equal, others=(*on.others, *outer, *classes.checks(given)))

    def after_join(self, state: State, alias: str) -> tuple[Expr, ...]:
        """Conditions of WHERE on an optional source: they see its NULLs, so they follow the join."""
        given = self.given(state)
        where = conditions_on(alias, given, self.block.where, self.classes, self.settings.maxima)
        return tuple(where.all())

    def order_by(self, state: State, alias: str) -> tuple[Order, ...] | None:
        """The order as this source can give it: items fixed by earlier sources or constants drop out."""
        given = self.given(state)
        items: list[Order] = []
        for item in self.order:
            members = self.classes.of_member(item.expr)
            if any(is_value(member, given) for member in members):
                continue
            of_rows = (member for member in members if is_of_one_row(member))
            own = next((member for member in of_rows if aliases_of(member) == {alias}), None)
            if own is None:
                return None
            items.append(replace(item, expr=own))
        return tuple(items)

    def groups(self, state: State, alias: str) -> Groups | None:
        """The partitions that the block's limit leaves over, if it takes them in the order of one term."""
        block, given = self.block, self.given(state)
        if block.top is None or block.limit is None or len(block.aliases) > 1 or block.group is not None:
            return None
        limit = count_bound(block.limit, self.settings)
        terms = [expr for expr in block.top.partition if not self._is_fixed(expr, given)]
        order = [item for item in block.order if not self._is_fixed(item.expr, given)]
        if limit is None or block.offset is not None or len(terms) != 1 or not is_of_one_row(terms[0]):
            return None
        if order and order[0].expr != terms[0]:
            return None
        return Groups(order[0] if order else Order(terms[0]), block.limit, limit)

    def _is_fixed(self, expr: Expr, given: frozenset[str]) -> bool:
        return any(is_value(member, given) for member in self.classes.of_member(expr))

    def widths(self, conditions: Conditions, source: Base) -> Iterator[tuple[Expr, int]]:
        """col > (SELECT MAX(key) - n ...): at most n values, if col is that key or refers to it."""
        for bound in conditions.ranges:
            name = bound.value.name if isinstance(bound.value, Parameter) else ""
            window = self.settings.windows.get(name)
            if window is None or bound.op not in ("gt", "gte") or not isinstance(bound.term, Column):
                continue
            table, column, distance = window
            own = (source.table, bound.term.name) == (table, column)
            if own or self._refers(source, bound.term, table, column):
                yield bound.term, distance + (bound.op == "gte")

    def _refers(self, source: Base, term: Column, table: str, column: str) -> bool:
        catalog = self.settings.catalog
        declared = catalog.references(source.table, [(term.name, column)], table)
        return declared or (self.settings.assume and catalog[table].key == (column,))
