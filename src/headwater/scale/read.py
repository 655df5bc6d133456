"""From a sqlglot SELECT to a block: names resolved, joins turned into conditions, subqueries merged.

A subquery in FROM that only selects and joins is merged into the block around it; one that groups, cuts or
removes doubles stays a `Derived` source.  WITH is spread where it is used.  What is left out (recursion,
FULL JOIN, LATERAL, table functions) raises NotAnalysed with the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from headwater.errors import InputError, Place, did_you_mean
from headwater.model import SqlText, Table
from headwater.scale.block import Base, Derived, LeftJoin, Order, Output, Query, Select, Source, Union
from headwater.scale.convert import convert, place_of
from headwater.scale.expr import (
    Aggregate,
    Col,
    Expr,
    Lit,
    aliases_of,
    call,
    conjuncts,
    has_aggregate,
)
from headwater.scale.merging import inner_where_possible, mergeable, renamed
from headwater.scale.notanalysed import NotAnalysed
from headwater.scale.scope import Names, Scope
from headwater.scale.trees import column_names, direction, ordered, own_clauses, windows

__all__ = ["read_query"]


def read_query(
    tree: exp.Expr,
    tables: Mapping[str, Table],
    sql: SqlText,
    views: Mapping[str, exp.Expr] | None = None,
) -> Query:
    """The block of a parsed SELECT over the declared tables; `views` are spread where they are named."""
    folded = {name.lower(): table for name, table in tables.items()}
    spread = {name.lower(): exp.Subquery(this=view.copy()) for name, view in (views or {}).items()}
    query, _ = _Reader(folded, sql).query(tree, None, dict(spread))
    return query


@dataclass(slots=True)
class _From:
    """What FROM has gathered so far."""

    sources: list[Source] = field(default_factory=list)
    where: list[Expr] = field(default_factory=list)
    left_joins: list[LeftJoin] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    tables: Mapping[str, Table]
    sql: SqlText
    names: Names = field(default_factory=Names)
    ctes: dict[int, dict[str, exp.Expr]] = field(default_factory=dict)
    depth: int = 0

    def place(self, node: exp.Expr) -> Place | None:
        return place_of(node, self.sql.place)

    def subquery(self, node: exp.Expr, scope: Scope) -> tuple[Query, Scope]:
        return self.query(node, scope, self.ctes.get(id(scope), {}))

    def query(self, node: exp.Expr, outer: Scope | None, ctes: dict[str, exp.Expr]) -> tuple[Query, Scope]:
        self.depth += 1
        if self.depth > 60:
            raise NotAnalysed("its subqueries are nested too deeply", self.place(node))
        try:
            return self._query(node, outer, ctes)
        finally:
            self.depth -= 1

    def _query(self, node: exp.Expr, outer: Scope | None, ctes: dict[str, exp.Expr]) -> tuple[Query, Scope]:
        while isinstance(node, exp.Subquery | exp.Paren) and not own_clauses(node):
            node = node.this
        ctes = self._with(node, ctes)
        match node:
            case exp.SetOperation():
                return self._union(node, outer, ctes)
            case exp.Select():
                return self._select(node, outer, ctes)
            case _:
                raise NotAnalysed(f"{node.key.upper()} is not a SELECT", self.place(node))

    def _with(self, node: exp.Expr, ctes: dict[str, exp.Expr]) -> dict[str, exp.Expr]:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        if clause.args.get("recursive"):
            raise NotAnalysed("WITH RECURSIVE has no bound on its depth", self.place(clause))
        found = dict(ctes)
        for cte in clause.expressions:
            found[cte.alias.lower()] = exp.Subquery(this=cte.this, alias=cte.args.get("alias"))
        return found

    def _union(
        self, node: exp.SetOperation, outer: Scope | None, ctes: dict[str, exp.Expr]
    ) -> tuple[Query, Scope]:
        left, scope = self.query(node.this, outer, ctes)
        right, below = self.query(node.expression, outer, ctes)
        scope.outer_columns |= below.outer_columns
        if len(left.columns) != len(right.columns):
            raise InputError(
                "HW403", "the parts of a UNION have different numbers of columns", place=self.place(node)
            )
        kind = "all" if isinstance(node, exp.Union) else node.key
        if isinstance(node, exp.Union) and node.args.get("distinct", True):
            kind = "distinct"
        outputs = {name: Col("", name) for name in left.columns}
        order = tuple(self._union_order(one, left.columns, outputs) for one in ordered(node))
        limit, offset = self._cut(node, scope)
        return Union((left, right), kind, order, limit, offset), scope

    def _union_order(self, node: exp.Expr, columns: tuple[str, ...], outputs: dict[str, Col]) -> Order:
        target = node.this if isinstance(node, exp.Ordered) else node
        if isinstance(target, exp.Literal) and not target.is_string and 0 < int(target.this) <= len(columns):
            return direction(node, outputs[columns[int(target.this) - 1]])
        found = [name for name in columns if name.lower() == target.name.lower()]
        if not isinstance(target, exp.Column) or not found:
            raise NotAnalysed(
                "a UNION is ordered by something that is not one of its columns", self.place(node)
            )
        return direction(node, outputs[found[0]])

    def _cut(self, node: exp.Expr, scope: Scope) -> tuple[Expr | None, Expr | None]:
        limit, offset = node.args.get("limit"), node.args.get("offset")
        count: exp.Expr | None = None
        if isinstance(limit, exp.Fetch):
            count = limit.args.get("count") or exp.Literal.number(1)
            if limit.args.get("limit_options") is not None and "TIES" in limit.sql().upper():
                raise NotAnalysed("FETCH ... WITH TIES may return any number of rows", self.place(limit))
        elif limit is not None:
            count = limit.expression
        shift = offset.expression if offset is not None else None
        if limit is not None and limit.args.get("offset") is not None:
            shift = limit.args["offset"]
        cut = None if count is None else convert(count, scope, self)
        if isinstance(cut, Lit) and cut.value is None:
            cut = None
        return cut, None if shift is None else convert(shift, scope, self)

    def _select(
        self, node: exp.Select, outer: Scope | None, ctes: dict[str, exp.Expr]
    ) -> tuple[Query, Scope]:
        self._refuse(node)
        scope, gathered = Scope(outer), _From()
        self.ctes[id(scope)] = ctes
        first = node.args.get("from_")
        if first is not None:
            self._item(first.this, scope, gathered, ctes)
        for join in [*(node.args.get("joins") or [])]:
            self._join(join, scope, gathered, ctes)
        where = node.args.get("where")
        if where is not None:
            gathered.where += conjuncts(convert(where.this, scope, self))
        return self._finish(node, scope, gathered), scope

    def _refuse(self, node: exp.Select) -> None:
        for name, what in (
            ("laterals", "LATERAL VIEW"), ("connect", "CONNECT BY"), ("match", "MATCH_RECOGNIZE"),
            ("qualify", "QUALIFY"), ("pivots", "PIVOT"), ("into", "SELECT INTO"), ("sample", "TABLESAMPLE"),
        ):  # fmt: skip
            if node.args.get(name):
                raise NotAnalysed(f"{what} is not understood", self.place(node))

    def _item(
        self, node: exp.Expr, scope: Scope, gathered: _From, ctes: dict[str, exp.Expr]
    ) -> tuple[str, ...]:
        """A source of FROM; the aliases it became."""
        before = len(gathered.sources)
        match node:
            case exp.Table() if isinstance(node.this, exp.Identifier):
                if node.name.lower() in ctes and not node.db:
                    body = ctes[node.name.lower()].copy()
                    rest = {name: one for name, one in ctes.items() if name != node.name.lower()}
                    self._derived(body, node.alias or node.name, scope, gathered, rest)
                else:
                    self._table(node, scope, gathered)
            case exp.Subquery() if isinstance(node.this, exp.Query):
                self._derived(node, node.alias, scope, gathered, ctes)
            case exp.Paren() | exp.Subquery():
                self._item(node.this, scope, gathered, ctes)
            case _:
                raise NotAnalysed(
                    f"the source {node.sql()[:60]} is not a table or a subquery", self.place(node)
                )
        for join in node.args.get("joins") or []:
            self._join(join, scope, gathered, ctes)
        if node.args.get("pivots") or node.args.get("sample"):
            raise NotAnalysed("PIVOT and TABLESAMPLE are not understood", self.place(node))
        return tuple(source.alias for source in gathered.sources[before:])

    def _table(self, node: exp.Table, scope: Scope, gathered: _From) -> None:
        table = self.tables.get(node.name.lower())
        if table is None:
            known = [one.name for one in self.tables.values()]
            hint = (
                did_you_mean(node.name, known) or "declare it with CREATE TABLE in the same file or project"
            )
            raise InputError("HW401", f'there is no table "{node.name}"', place=self.place(node), hint=hint)
        written = node.alias or table.name
        alias = self.names.fresh(written)
        gathered.sources.append(Base(alias, table.name, self.place(node)))
        scope.add(written, {name: Col(alias, name) for name in table.column_names}, self.place(node))

    def _derived(
        self,
        node: exp.Expr,
        alias: str,
        scope: Scope,
        gathered: _From,
        ctes: dict[str, exp.Expr],
    ) -> None:
        query, below = self.query(node if own_clauses(node) else node.this, None, ctes)
        given = [one.name for one in column_names(node)]
        names = (*given, *query.columns[len(given) :])
        if mergeable(query) and isinstance(query, Select):
            gathered.sources += query.sources
            gathered.where += query.where
            gathered.left_joins += query.left_joins
            columns = {name: one.expr for name, one in zip(names, query.outputs, strict=True)}
            scope.add(alias or self.names.fresh("subquery"), columns, self.place(node))
            return
        own = self.names.fresh(alias or "subquery")
        gathered.sources.append(Derived(own, renamed(query, names), self.place(node)))
        scope.add(alias or own, {name: Col(own, name) for name in names}, self.place(node))

    def _join(self, join: exp.Join, scope: Scope, gathered: _From, ctes: dict[str, exp.Expr]) -> None:
        side, kind = (join.side or "").upper(), (join.kind or "").upper()
        if side == "FULL":
            raise NotAnalysed("FULL JOIN is not understood", self.place(join))
        if (
            kind in ("SEMI", "ANTI")
            or kind in ("APPLY",)
            or (join.method or "").upper() not in ("", "NATURAL")
        ):
            raise NotAnalysed(f"{kind or join.method} JOIN is not understood", self.place(join))
        present = tuple(source.alias for source in gathered.sources)
        known = {name: set(columns) for name, columns in scope.sources.items()}
        added = self._item(join.this, scope, gathered, ctes)
        conditions = list(self._on(join, scope, known))
        if side == "LEFT":
            self._optional(added, conditions, gathered, join)
        elif side == "RIGHT":
            self._optional(present, conditions, gathered, join)
        else:
            gathered.where += conditions

    def _on(self, join: exp.Join, scope: Scope, known: dict[str, set[str]]) -> tuple[Expr, ...]:
        on = join.args.get("on")
        if on is not None:
            return conjuncts(convert(on, scope, self))
        new = next((name for name in scope.sources if name not in known), None)
        names = [one.name.lower() for one in join.args.get("using") or []]
        if (join.method or "").upper() == "NATURAL" and new is not None:
            before = {name for columns in known.values() for name in columns}
            names = [name for name in scope.sources[new] if name in before]
        found: list[Expr] = []
        for name in names:
            owner = next((source for source in known if name in known[source]), None)
            if owner is None or new is None or name not in scope.sources[new]:
                raise InputError(
                    "HW402", f'USING names "{name}", which one side lacks', place=self.place(join)
                )
            found.append(call("eq", scope.sources[owner][name], scope.sources[new][name]))
            scope.merged[name] = scope.sources[owner][name]
        return tuple(found)

    def _optional(
        self, aliases: tuple[str, ...], conditions: list[Expr], gathered: _From, join: exp.Join
    ) -> None:
        if len(aliases) != 1:
            raise NotAnalysed("an outer join whose optional side joins several sources", self.place(join))
        (alias,) = aliases
        own = [one for one in gathered.where if aliases_of(one) == {alias}]
        if own:  # conditions of a merged subquery belong to the join
            gathered.where = [one for one in gathered.where if one not in own]
        gathered.left_joins.append(LeftJoin(alias, (*conditions, *own)))

    def _finish(self, node: exp.Select, scope: Scope, gathered: _From) -> Select:
        outputs = tuple(self._outputs(node, scope))
        group = self._group(node, scope, outputs)
        having = node.args.get("having")
        conditions = conjuncts(self._aliased(having.this, scope, outputs)) if having is not None else ()
        order = tuple(self._order(one, scope, outputs) for one in ordered(node))
        aggregated = any(
            map(has_aggregate, (*(one.expr for one in outputs), *conditions, *(o.expr for o in order)))
        )
        limit, offset = self._cut(node, scope)
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            raise NotAnalysed("DISTINCT ON is not understood", self.place(node))
        return inner_where_possible(
            Select(
                sources=tuple(gathered.sources),
                where=tuple(dict.fromkeys(gathered.where)),
                outputs=outputs,
                left_joins=tuple(gathered.left_joins),
                group=group if group is not None else (() if aggregated else None),
                having=conditions,
                distinct=distinct is not None,
                order=order,
                limit=limit,
                offset=offset,
                windowed=any(isinstance(one.parent_select, exp.Select) for one in windows(node)),
            )
        )

    def _outputs(self, node: exp.Select, scope: Scope) -> list[Output]:
        found: list[Output] = []
        taken: set[str] = set()

        def add(name: str, expr: Expr) -> None:
            unique, number = name, 2
            while unique.lower() in taken:
                unique, number = f"{name}_{number}", number + 1
            taken.add(unique.lower())
            found.append(Output(unique, expr))

        for item in node.expressions:
            if item.is_star and isinstance(item, exp.Star | exp.Column):
                alias = item.table or None if isinstance(item, exp.Column) else None
                for name, expr in scope.star(alias, lambda item=item: self.place(item)):  # type: ignore[misc]
                    add(name, expr)
            else:
                expr = convert(item, scope, self)
                spelled = expr.name if isinstance(expr, Col) else ""
                made = expr.function if isinstance(expr, Aggregate) else f"column_{len(found) + 1}"
                add(item.alias or spelled or item.output_name or made, expr)
        return found

    def _aliased(self, node: exp.Expr, scope: Scope, outputs: tuple[Output, ...]) -> Expr:
        """An expression that may name outputs: an output's alias, if no column has that name."""
        known = {one.name.lower(): one.expr for one in outputs}
        names = [part for part in node.find_all(exp.Column) if not part.table and part.name.lower() in known]
        extra = Scope(
            scope.outer, dict(scope.sources), dict(scope.spelling), dict(scope.merged), scope.outer_columns
        )
        self.ctes[id(extra)] = self.ctes.get(id(scope), {})
        for part in names:
            if _quietly(scope, part.name) is None:
                extra.merged[part.name.lower()] = known[part.name.lower()]
        return convert(node, extra, self)

    def _group(self, node: exp.Select, scope: Scope, outputs: tuple[Output, ...]) -> tuple[Expr, ...] | None:
        clause = node.args.get("group")
        if clause is None:
            return None
        for name in ("grouping_sets", "cube", "rollup", "totals"):
            if clause.args.get(name):
                raise NotAnalysed(f"GROUP BY with {name.replace('_', ' ').upper()}", self.place(clause))
        if clause.args.get("all"):
            return tuple(one.expr for one in outputs if not has_aggregate(one.expr))
        return tuple(dict.fromkeys(self._position(one, scope, outputs) for one in clause.expressions))

    def _position(self, node: exp.Expr, scope: Scope, outputs: tuple[Output, ...]) -> Expr:
        """A GROUP BY or ORDER BY item: a position, an output's alias or an expression."""
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
            position = int(node.this)
            if not 0 < position <= len(outputs):
                raise InputError("HW403", f"there is no output number {position}", place=self.place(node))
            return outputs[position - 1].expr
        return self._aliased(node, scope, outputs)

    def _order(self, node: exp.Expr, scope: Scope, outputs: tuple[Output, ...]) -> Order:
        target = node.this if isinstance(node, exp.Ordered) else node
        if isinstance(target, exp.Column) and not target.table:
            named = [one for one in outputs if one.name.lower() == target.name.lower()]
            if named:  # in ORDER BY an output's name comes first
                return direction(node, named[0].expr)
        return direction(node, self._position(target, scope, outputs))


def _quietly(scope: Scope, name: str) -> Expr | None:
    try:
        found = scope.lookup(None, name, lambda: None)
    except InputError:
        return Lit(None, "NULL")
    return None if found is None else found[1]
