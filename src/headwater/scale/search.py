"""Phase 0: the cheapest bounded plan of one block, over all join orders.

Dynamic programming over sets of sources.  A state is a plan for a set; it is extended by one more source
through every access path, and by a cut as soon as no later join can lose a row.  Of the states of a set the
cheapest few are kept (by operations, then rows read).

    twoTags with tags(docId, tag), at most K tags of a document:
      {t1} by tag = :tag1          no bound on the documents that carry a tag: no state
      {t2} likewise, {d} neither   so no bounded plan, and a view is looked for

Invariant: a state's bound holds for all data that satisfies the constraints.  Cost: about 2^n states for n
sources; beyond ten sources only the cheapest state of each size is extended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from headwater.scale.access import Access, Wanted, accesses
from headwater.scale.block import Base, Derived, Order, Select
from headwater.scale.classes import Classes
from headwater.scale.conditions import Conditions, conditions_on
from headwater.scale.expr import Col, Expr, aliases_of, call, cols_of
from headwater.scale.plan import Bound, Cut, Each, Nested, OneOf, Plan, Probe, Start
from headwater.scale.promise import Promise, promise
from headwater.scale.settings import Settings, count_bound
from headwater.scale.subplans import Found, Planner, filtered, subqueries_of

__all__ = ["search"]

_KEPT = 3
_EXHAUSTIVE = 9


@dataclass(frozen=True, slots=True)
class State:
    found: Found
    done: frozenset[str]
    cut: bool = False
    expects: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Search:
    block: Select
    settings: Settings
    plan_query: Planner
    cuttable: bool
    classes: Classes = field(init=False)
    needed: dict[str, frozenset[str]] = field(init=False)
    promises: dict[frozenset[str], Promise | None] = field(default_factory=dict)
    nested: dict[str, Found | None] = field(default_factory=dict)
    sorted: dict[tuple[frozenset[str], str], Conditions] = field(default_factory=dict)
    most: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.classes = Classes.of(self.block.where)
        cols = {col for one in self.block.expressions() for col in cols_of(one)}
        self.needed = {
            alias: frozenset(col.name for col in cols if col.alias == alias) for alias in self.block.aliases
        }
        self.most = self._most() if self.cuttable else None

    def _most(self) -> int | None:
        limit = count_bound(self.block.limit, self.settings)
        offset = 0 if self.block.offset is None else count_bound(self.block.offset, self.settings)
        return None if limit is None or offset is None else limit + offset

    def run(self) -> list[State]:
        start = self._start()
        if start is None:
            return []
        levels: dict[frozenset[str], list[State]] = {frozenset(): [start]}
        for _ in self.block.aliases:
            levels = self._next_level(levels)
        return [state for states in levels.values() for state in states]

    def _next_level(self, levels: dict[frozenset[str], list[State]]) -> dict[frozenset[str], list[State]]:
        found: dict[frozenset[str], list[State]] = {}
        for states in levels.values():
            for state in states:
                for alias in self.block.aliases:
                    if alias not in state.done and self._ready(state.done, alias):
                        for extended in self._extend(state, alias):
                            found.setdefault(extended.done, []).append(extended)
        kept = {done: _cheapest(states) for done, states in found.items()}
        if len(self.block.aliases) > _EXHAUSTIVE and kept:
            ranked = sorted(kept, key=lambda done: kept[done][0].found.cost)
            kept = {done: kept[done] for done in ranked[:12]}
        return kept

    def _ready(self, done: frozenset[str], alias: str) -> bool:
        """An optional source comes after all that its conditions name."""
        join = self.block.left_join(alias)
        return join is None or all(aliases_of(on) <= done | {alias} | self.settings.given for on in join.on)

    def _start(self) -> State | None:
        given = self.settings.given
        free = [one for one in self.block.where if aliases_of(one) <= given]
        checks = tuple(dict.fromkeys((*self.classes.checks(given), *free)))
        plain = tuple(one for one in checks if not subqueries_of(one))
        state = Found(Start(plain), Bound(0, 0, 1))
        for one in checks:
            if subqueries_of(one):
                extended = filtered(state, (one,), self.settings, self.plan_query)
                if extended is None:
                    return None
                state = extended
        return State(state, frozenset())

    def _extend(self, state: State, alias: str) -> Iterator[State]:
        source = self.block.source(alias)
        if isinstance(source, Derived):
            yield from self._extend_nested(state, source)
            return
        conditions = self._conditions(state, alias)
        for access in self._accesses(state, source, conditions):
            yield from self._probe(state, source, conditions, access)

    def _conditions(self, state: State, alias: str) -> Conditions:
        if (state.done, alias) not in self.sorted:
            self.sorted[state.done, alias] = self._sorted(state, alias)
        return self.sorted[state.done, alias]

    def _sorted(self, state: State, alias: str) -> Conditions:
        given = state.done | self.settings.given
        join = self.block.left_join(alias)
        if join is None:
            return conditions_on(alias, given, self.block.where, self.classes, self.settings.maxima)
        classes = Classes.of(join.on)
        found = conditions_on(alias, given, join.on, classes, self.settings.maxima)
        known = tuple((term, self.classes.value_of(value, given) or value) for term, value in found.equal)
        outer = tuple(one for one in join.on if alias not in aliases_of(one))
        return replace(found, equal=known, others=(*found.others, *outer))

    def _accesses(self, state: State, source: Base, conditions: Conditions) -> Iterator[Access]:
        pledge = self._promise(state.done | {source.alias})
        can_cut = self.most is not None and not state.cut and pledge is not None
        wanted = Wanted(
            alias=source.alias,
            table=source.table,
            conditions=conditions,
            needed=self.needed[source.alias],
            order=self._order(state, source.alias) if can_cut else None,
            not_null=tuple(one for one in pledge.not_null if one.alias == source.alias) if pledge else (),
            secondary=self.settings.secondary,
            widths=tuple(self._widths(conditions, source)),
        )
        for access in accesses(self.settings.catalog, wanted):
            lead = access.index.parts[0].expr if access.index.parts else None
            hot = isinstance(lead, Col) and self.settings.is_hot(source.table, lead.name)
            if access.index.primary or not hot or self.settings.hot:
                yield access

    def _widths(self, conditions: Conditions, source: Base) -> Iterator[tuple[Expr, int]]:
        """col > (SELECT MAX(key) - n ...): at most n values, if col is that key or refers to it."""
        for one in conditions.ranges:
            window = self.settings.windows.get(getattr(one.value, "name", ""))
            if window is None or one.op not in ("gt", "gte") or not isinstance(one.term, Col):
                continue
            table, column, distance = window
            if (source.table, one.term.name) == (table, column) or self._refers(
                source, one.term, table, column
            ):
                yield one.term, distance + (one.op == "gte")

    def _refers(self, source: Base, term: Col, table: str, column: str) -> bool:
        catalog = self.settings.catalog
        declared = catalog.references(source.table, [(term.name, column)], table)
        return declared or (self.settings.assume and catalog[table].key == (column,))

    def _order(self, state: State, alias: str) -> tuple[Order, ...] | None:
        """The order as this source can give it: items fixed by earlier sources or constants drop out."""
        given = state.done | self.settings.given
        found: list[Order] = []
        for item in self.block.order:
            members = self.classes.of_member(item.expr)
            if any(aliases_of(one) <= given for one in members):
                continue
            own = next((one for one in members if aliases_of(one) == {alias}), None)
            if own is None or subqueries_of(own):
                return None
            found.append(replace(item, expr=own))
        return tuple(found)

    def _promise(self, done: frozenset[str]) -> Promise | None:
        if done not in self.promises:
            self.promises[done] = promise(self.block, self.classes, self.settings, done)
        return self.promises[done]

    def _probe(self, state: State, source: Base, conditions: Conditions, access: Access) -> Iterator[State]:
        optional = self.block.left_join(source.alias) is not None
        rest = _unsatisfied(conditions, access)
        later = self._later(state, source.alias) if optional else tuple(rest)
        before = state.found.bound
        limit: Expr | None = None
        per_row = access.rows
        if self.most is not None and not optional and self._may_stop(state, source, access, rest):
            wanted = self.most * _combinations(access)
            if per_row is None or wanted < per_row:
                per_row, limit = wanted, self._stop()
        if per_row is None:
            return
        rows = before.rows * per_row
        probes = before.rows * access.probes
        out = max(rows, before.rows) if optional else rows
        bound = Bound(before.operations + probes + (rows if access.fetch else 0), before.read + rows, out)
        found = replace(
            state.found,
            plan=Probe(
                child=state.found.plan,
                alias=source.alias,
                index=access.index,
                bindings=access.bindings,
                ranges=access.ranges,
                bound=bound,
                reverse=access.reverse,
                fetch=access.fetch,
                unique=access.unique,
                limit=limit,
                optional=optional,
                on=tuple(rest) if optional else (),
                expects=dict(state.expects).get(source.alias, "") if not optional else "",
            ),
            bound=bound,
            indexes=state.found.indexes | (frozenset() if access.index.primary else {access.index}),
            assumes=state.found.assumes | access.assumes,
        )
        yield from self._after(state, found, source.alias, later, limit is not None)

    def _may_stop(self, state: State, source: Base, access: Access, rest: list[Expr]) -> bool:
        """Are the first rows of the read enough: all wanted, in order, and none lost later?"""
        pledge = self._promise(state.done | {source.alias})
        if rest or state.cut or not access.ordered or pledge is None:
            return False
        return self._pledged(pledge, source.alias, access.not_null)

    def _later(self, state: State, alias: str) -> tuple[Expr, ...]:
        """Conditions of WHERE on an optional source: they see its NULLs, so they follow the join."""
        given = state.done | self.settings.given
        found = conditions_on(alias, given, self.block.where, self.classes, self.settings.maxima)
        return tuple(_all_conditions(found))

    def _stop(self) -> Expr:
        limit = self.block.limit
        assert limit is not None
        return limit if self.block.offset is None else call("add", limit, self.block.offset)

    def _after(
        self, state: State, found: Found, alias: str, rest: tuple[Expr, ...], pushed: bool
    ) -> Iterator[State]:
        """Filter what the path did not decide, then cut if no later join can lose a row."""
        done = state.done | {alias}
        extended = filtered(found, rest, self.settings, self.plan_query) if rest else found
        if extended is None:
            return
        plain = State(extended, done, state.cut, state.expects)
        cut = None if state.cut else self._cut(plain, pushed)
        if cut is not None:
            yield cut
        if not pushed and (cut is None or cut.found.assumes - extended.assumes):
            yield plain

    def _pledged(self, pledge: Promise, alias: str, not_null: bool) -> bool:
        """May the read stop early? Columns that a later join needs must be excluded or assumed not NULL.

        (Rows of earlier sources with a NULL there drop out whole, and take no row of another with them.)
        """
        return self.settings.assume or not_null or not any(one.alias == alias for one in pledge.not_null)

    def _cut(self, state: State, pushed: bool) -> State | None:
        pledge = self._promise(state.done)
        given = state.done | self.settings.given
        if pledge is None or self.most is None:
            return None
        if not all(
            aliases_of(item.expr) <= given and not subqueries_of(item.expr) for item in self.block.order
        ):
            return None
        found = state.found
        here = [one for one in pledge.not_null if one.alias in state.done]
        later = [one for one in pledge.not_null if one.alias not in state.done]
        if later and not self.settings.assume:
            return None
        open_ = self._open(found.plan, here) if pushed else []
        assumes = set(pledge.assumes) | {self._never_null(one) for one in (*later, *open_)}
        checks = tuple(call("not_null", one) for one in here)
        if checks:
            found = filtered(found, checks, self.settings, self.plan_query) or found
        rows = min(found.bound.rows, self.most)
        bound = replace(found.bound, rows=rows)
        plan = Cut(found.plan, self.block.order, self._stop(), None, bound)
        cut = replace(found, plan=plan, bound=bound, assumes=found.assumes | assumes)
        return State(cut, state.done, True, pledge.expects)

    def _open(self, plan: Plan, columns: list[Col]) -> list[Col]:
        """Columns of the source just read that may be NULL, because its index keeps those rows."""
        assert isinstance(plan, Probe)
        own = [one for one in columns if one.alias == plan.alias]
        return [one for one in own if call("not_null", Col("", one.name)) not in plan.index.where]

    def _never_null(self, col: Col) -> str:
        source = self.block.source(col.alias)
        return f"{source.table if isinstance(source, Base) else col.alias}.{col.name} is never NULL"

    def _extend_nested(self, state: State, source: Derived) -> Iterator[State]:
        if source.alias not in self.nested:
            self.nested[source.alias] = self.plan_query(source.query, self.settings)
        inner = self.nested[source.alias]
        if inner is None:
            return
        join = self.block.left_join(source.alias)
        before = state.found.bound
        rows = before.rows * inner.bound.rows
        bound = Bound(
            before.operations + inner.bound.operations,
            before.read + inner.bound.read,
            max(rows, before.rows) if join is not None else rows,
        )
        on = join.on if join is not None else ()
        found = Found(
            Nested(state.found.plan, source.alias, inner.plan, bound, join is not None, on),
            bound,
            state.found.indexes | inner.indexes,
            state.found.assumes | inner.assumes,
        )
        yield from self._after(state, found, source.alias, self._later(state, source.alias), False)


def _combinations(access: Access) -> int:
    number = 1
    for binding in access.bindings:
        if isinstance(binding, OneOf | Each):
            number *= binding.most
    return number


def _all_conditions(conditions: Conditions) -> Iterator[Expr]:
    for term, value in conditions.equal:
        yield call("eq", term, value)
    for _, _, _, condition in conditions.one_of:
        yield condition
    for one in conditions.ranges:
        yield one.condition
    yield from conditions.constant
    yield from conditions.others


def _unsatisfied(conditions: Conditions, access: Access) -> list[Expr]:
    return [one for one in dict.fromkeys(_all_conditions(conditions)) if one not in access.satisfied]


def _cheapest(states: list[State]) -> list[State]:
    """The best few of a set: those cut already, and those not."""
    kept: list[State] = []
    for flag in (True, False):
        group = sorted((one for one in states if one.cut is flag), key=_rank)
        best_rows = sorted(group, key=lambda one: (one.found.bound.rows, _rank(one)))
        kept += list(dict.fromkeys([*group[:_KEPT], *best_rows[:1]]))
    return kept


def _rank(state: State) -> tuple[int, ...]:
    return (*state.found.cost, state.found.bound.rows)


def search(block: Select, settings: Settings, plan_query: Planner, cuttable: bool) -> Found | None:
    """The cheapest bounded plan of the block's sources and conditions; None if there is none.

    `cuttable`: the block's limit may be taken over joined rows (no grouping or DISTINCT stands between).
    """
    states = _Search(block, settings, plan_query, cuttable).run()
    best = min(states, key=_rank, default=None)
    return None if best is None else best.found
