"""FROM and its joins: sources, conditions and left joins; subqueries that only select are merged away.

A subquery in FROM that only selects and joins is merged into the block around it; one that groups, cuts or
removes doubles stays a `Derived` source.  WITH is spread where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from headwater import model
from headwater.algebra.expressions.build import NULL, choose
from headwater.algebra.expressions.facts import has_subquery, in_order
from headwater.algebra.expressions.tree import Column, Expr, Subquery, call, walk
from headwater.bounds.query.block import Base, Derived, LeftJoin, Output, Query, Select, Source, Union
from headwater.bounds.query.forms.merging import is_one_row, mergeable, renamed
from headwater.bounds.query.names import Names
from headwater.bounds.reading.expressions.comparable import comparable, types_shown
from headwater.bounds.reading.expressions.convert import Reader, conditions_of, convert
from headwater.bounds.reading.ledger import Ledger
from headwater.bounds.reading.not_analysed import NoBound, NotAnalysed
from headwater.bounds.reading.schema.qualified import declared_name, is_of_several, plain_name, schema_of
from headwater.bounds.reading.scope import Scope
from headwater.bounds.reading.trees import column_names, own_clauses, text_of, with_column_names
from headwater.errors import InputError, did_you_mean
from headwater.model import Table

__all__ = ["WHOLE", "Ctes", "FromClause", "gives_any_number", "spread_views"]

WHOLE = "whole"  # the mark of a subquery of WITH that is written AS MATERIALIZED

Ctes = dict[
    str, exp.Expr
]  # by their names in small letters; views also by `schema.name`, or `.name` without one


def spread_views(views: Mapping[str, exp.Expr], ledger: Ledger) -> Ctes:
    """Views as if each were written in a WITH; a statement may name them with their schema."""
    spread: Ctes = {}
    plain = Counter(plain_name(name.lower()) for name in views)
    for name, view in views.items():
        folded = name.lower()
        keys = [folded if "." in folded else f".{folded}"]
        if "." not in folded or plain[plain_name(folded)] == 1:  # of several schemas: it must be said which
            keys.append(plain_name(folded))
        spread |= dict.fromkeys(keys, exp.Subquery(this=ledger.enter(view.copy())))
    return spread


class QueryReader(Reader, Protocol):
    """What FROM needs of the block reader: the tables, fresh aliases and subqueries."""

    @property
    def tables(self) -> Mapping[str, Table]: ...

    @property
    def schemas(self) -> Mapping[str, str]: ...

    @property
    def names(self) -> Names: ...

    @property
    def declared(self) -> dict[str, Table]: ...

    def query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> tuple[Query, Scope]: ...


@dataclass(slots=True)
class FromClause:
    """Gathers what FROM says: the sources, put into the scope too, and the conditions of joins."""

    reader: QueryReader
    scope: Scope
    ctes: Ctes
    sources: list[Source] = field(default_factory=list)
    where: list[Expr] = field(default_factory=list)
    left_joins: list[LeftJoin] = field(default_factory=list)
    computed: list[tuple[Expr, ...]] = field(default_factory=list)  # the values of each LATERAL of one row

    def unused_values(self, used: Iterable[Expr]) -> list[Expr]:
        """Conditions that are always true, but compute what FROM computes and nothing else reads."""
        read = {part for expr in used for part in walk(expr)}
        read |= {part for join in self.left_joins for on in join.on for part in walk(on)}
        unread = [values[0] for values in self.computed if values and read.isdisjoint(values)]
        return [call("or", call("is_null", value), call("not_null", value)) for value in unread]

    def add(self, node: exp.Expr) -> tuple[str, ...]:
        """A source of FROM, with the joins that hang on it; the aliases it became."""
        before = len(self.sources)
        self.reader.note(node)
        match node:
            case exp.Table() if isinstance(node.this, exp.Identifier):
                self._named(node)
            case exp.Subquery() if isinstance(node.this, exp.Query):
                self._subquery(node, node.alias, self.ctes)
            case exp.Lateral() if isinstance(node.this, exp.Subquery):
                self._lateral(node)
            case exp.Values():
                self._values(node)
            case exp.Paren() | exp.Subquery():
                self.add(node.this)
            case _:
                text = text_of(node)[:60]
                if gives_any_number(node):
                    raise NoBound(f"{text} gives any number of rows", self.reader.place(node))
                raise NotAnalysed(f"the source {text} is not a table or a subquery", self.reader.place(node))
        for join in node.args.get("joins") or []:
            self.join(join)
        if node.args.get("pivots"):
            raise NotAnalysed("PIVOT is not understood", self.reader.place(node))
        if node.args.get("sample"):
            raise NoBound("TABLESAMPLE reads a share of all rows", self.reader.place(node))
        hints = [word.name.upper() for hint in node.args.get("hints") or [] for word in hint.expressions]
        if "READPAST" in hints:
            raise NoBound("READPAST passes over as many rows as others have locked", self.reader.place(node))
        return tuple(source.alias for source in self.sources[before:])

    def _named(self, node: exp.Table) -> None:
        """A table, a view, or a subquery of WITH, which does not see itself."""
        name = node.name.lower()
        written = [f"{schema_of(node)}.{name}", f".{name}"] if node.db else [name]
        body = next((self.ctes[key] for key in written if key in self.ctes), None)
        if body is None:
            self._table(node)
            return
        others = {key: other for key, other in self.ctes.items() if plain_name(key) != name}
        self._subquery(with_column_names(body.copy(), column_names(node)), node.alias or node.name, others)

    def _table(self, node: exp.Table) -> None:
        name = declared_name(node, self.reader.tables, self.reader.schemas)
        table = None if name is None else self.reader.tables[name]
        place = self.reader.place(node)
        if table is None:
            declared = [other.name for other in self.reader.tables.values()]
            hint = did_you_mean(node.name, declared)
            hint = hint or "declare it with CREATE TABLE in the same file or project"
            raise InputError("HW401", f'there is no table "{node.name}"', place=place, hint=hint)
        if is_of_several(node, (other.name for other in self.reader.tables.values()), self.reader.schemas):
            raise NotAnalysed(f'"{node.name}" may be a table of several schemas: write which', place)
        written = node.alias or plain_name(table.name)
        alias = self.reader.names.fresh(written)
        self.sources.append(Base(alias, table.name, place))
        self.reader.declared[alias] = table
        given = [name.name for name in column_names(node)]
        shown = (*given, *table.column_names[len(given) :])
        columns: dict[str, Expr] = {
            name: Column(column, alias) for name, column in zip(shown, table.column_names, strict=False)
        }
        self.scope.add(written, columns, place)

    def _subquery(self, node: exp.Expr, alias: str, ctes: Ctes) -> None:
        query, _ = self.reader.query(node if own_clauses(node) else node.this, None, ctes)
        self._take(query, node, alias, whole=node.meta.get(WHOLE, False))

    def _lateral(self, node: exp.Lateral) -> None:
        """A subquery that reads the sources before it; aggregates of no group are scalar subqueries."""
        body = node.this
        self.reader.note(body)
        query, below = self.reader.query(body if own_clauses(body) else body.this, self.scope, self.ctes)
        outer = in_order(below.outer_columns)
        if not (isinstance(query, Select) and is_one_row(query)):
            self._take(query, node, node.alias, outer)
            return
        columns: dict[str, Expr] = {
            name: Subquery("scalar", replace(query, outputs=(output,)), None, outer)
            for name, output in zip(_names(node, query), query.outputs, strict=True)
        }
        self.computed.append(tuple(columns.values()))
        self.scope.add(node.alias or self.reader.names.fresh("subquery"), columns, self.reader.place(node))

    def _values(self, node: exp.Values) -> None:
        """VALUES (1, 'a'), (2, 'b') as a union of as many rows."""
        rows = [list(row.expressions) for row in node.expressions if isinstance(row, exp.Tuple)]
        if not rows or any(len(row) != len(rows[0]) for row in rows):
            raise NotAnalysed("VALUES is not understood", self.reader.place(node))
        self.reader.note(*node.expressions)
        outputs = [[convert(value, self.scope, self.reader) for value in row] for row in rows]
        branches = tuple(
            Select((), (), tuple(Output(f"column{number}", value) for number, value in enumerate(row, 1)))
            for row in outputs
        )
        query = Union(branches, "all") if len(branches) > 1 else branches[0]
        self._take(query, node, node.alias)

    def _take(
        self, query: Query, node: exp.Expr, alias: str, outer: tuple[Column, ...] = (), whole: bool = False
    ) -> None:
        place, names = self.reader.place(node), _names(node, query)
        if mergeable(query) and isinstance(query, Select) and not whole:
            self.sources += query.sources
            self.where += query.where
            self.left_joins += query.left_joins
            columns = {name: output.expr for name, output in zip(names, query.outputs, strict=True)}
            self.scope.add(alias or self.reader.names.fresh("subquery"), columns, place)
            return
        own = self.reader.names.fresh(alias or "subquery")
        derived = renamed(query, names)
        self.sources.append(Derived(own, derived, place, outer, whole))
        types = types_shown(derived, self.reader.type_of)
        self.reader.declared[own] = Table(
            own, tuple(model.Column(name, kind) for name, kind in zip(names, types, strict=True))
        )
        self.scope.add(alias or own, {name: Column(name, own) for name in names}, place)

    def join(self, join: exp.Join) -> None:
        side, kind = (join.side or "").upper(), (join.kind or "").upper()
        method = (join.method or "").upper()
        if side == "FULL":
            raise NotAnalysed("FULL JOIN is not understood", self.reader.place(join))
        if isinstance(join.this, exp.Lateral) and join.this.args.get("cross_apply") is False:
            side = "LEFT"  # OUTER APPLY
        if kind in ("SEMI", "ANTI") and join.args.get("on") is not None and side != "RIGHT":
            self._partners(join, kind)
            return
        if kind in ("SEMI", "ANTI", "APPLY") or method not in ("", "NATURAL"):
            raise NotAnalysed(f"{kind or join.method} JOIN is not understood", self.reader.place(join))
        present = tuple(source.alias for source in self.sources)
        before = {name: set(columns) for name, columns in self.scope.sources.items()}
        earlier = list(self.where)
        added = self.add(join.this)
        inner = self.where[len(earlier) :]  # of a merged subquery
        conditions = self._on(join, before)
        if side == "LEFT" and not added and not conditions:
            return  # what it reads is one row, always
        if side == "LEFT":
            self.where = earlier
            self._optional(added, (*conditions, *inner), join)
            self._null_without_partner(added, set(self.scope.sources) - set(before), join)
        elif side == "RIGHT":
            self.where = inner
            self._optional(present, (*conditions, *earlier), join)
            self._null_without_partner(present, set(before), join)
        else:
            self.where += conditions

    def _partners(self, join: exp.Join, kind: str) -> None:
        """LEFT SEMI JOIN u ON c as EXISTS (SELECT 1 FROM u WHERE c), LEFT ANTI JOIN as its opposite."""
        select = exp.select("1").from_(join.this.copy()).where(join.args["on"].copy())
        partner: exp.Expr = exp.Exists(this=select)
        partner = partner if kind == "SEMI" else exp.Not(this=partner)
        self.where += conditions_of(partner, self.scope, self.reader)

    def _on(self, join: exp.Join, before: dict[str, set[str]]) -> tuple[Expr, ...]:
        """ON, USING or NATURAL as conditions; `before` are the sources to the left, with their columns."""
        on = join.args.get("on")
        if on is not None:
            return conditions_of(on, self.scope, self.reader)
        sources = self.scope.sources
        new = next((name for name in sources if name not in before), None)
        names = [name.name.lower() for name in join.args.get("using") or []]
        self.reader.note(*(join.args.get("using") or []))
        if (join.method or "").upper() == "NATURAL" and new is not None:
            on_the_left = {name for columns in before.values() for name in columns}
            names = [name for name in sources[new] if name in on_the_left]
        conditions: list[Expr] = []
        for name in names:
            owner = next((source for source in before if name in before[source]), None)
            if owner is None or new is None or name not in sources[new]:
                text = f'USING names "{name}", which one side lacks'
                raise InputError("HW402", text, place=self.reader.place(join))
            sides = comparable(sources[owner][name], sources[new][name], self.reader.type_of)
            conditions.append(call("eq", *sides))
            kept = new if (join.side or "").upper() == "RIGHT" else owner  # the side that is never NULL
            self.scope.merged[name] = sources[kept][name]
            self.scope.shared |= {(owner, name), (new, name)}
        return tuple(conditions)

    def _optional(self, aliases: tuple[str, ...], conditions: tuple[Expr, ...], join: exp.Join) -> None:
        if len(aliases) != 1:
            text = "an outer join whose optional side joins several sources"
            raise NotAnalysed(text, self.reader.place(join))
        if any(map(has_subquery, conditions)):  # plans have no place to compute it
            raise NotAnalysed("an outer join has a subquery in its condition", self.reader.place(join))
        self.left_joins.append(LeftJoin(aliases[0], conditions))

    def _null_without_partner(self, aliases: tuple[str, ...], names: set[str], join: exp.Join) -> None:
        """What a merged subquery computes (1 AS one) is NULL where its row has no partner."""
        source = next(source for source in self.sources if source.alias == aliases[0])
        for name in names:
            for column, expr in self.scope.sources[name].items():
                if not isinstance(expr, Column):
                    self.scope.sources[name][column] = choose(self._has_partner(source, join), expr, NULL)

    def _has_partner(self, source: Source, join: exp.Join) -> Expr:
        columns = self.reader.tables[source.table.lower()].columns if isinstance(source, Base) else ()
        certain = next((column.name for column in columns if not column.nullable), None)
        if certain is None:
            text = "an outer join computes values of a table that has no column without NULL"
            raise NotAnalysed(text, self.reader.place(join))
        return call("not_null", Column(certain, source.alias))


def _names(node: exp.Expr, query: Query) -> tuple[str, ...]:
    """The names of a subquery's columns: those its alias gives, then its own."""
    given = [name.name for name in column_names(node)]
    return (*given, *query.columns[len(given) :])


_OF_ROWS = ("json_each", "json_tree", "jsonb_array_elements", "jsonb_array_elements_text", "jsonb_each")


def gives_any_number(node: exp.Expr) -> bool:
    """Is it a function of rows or parameters in FROM (UNNEST, JSON_TABLE, EXPLODE), and is there no LIMIT?

    As many rows as a value has parts: nothing that is declared limits them.
    """
    varies = node.find(exp.Column, exp.Placeholder, exp.Parameter) is not None
    known = all(call.name.lower() in _OF_ROWS for call in node.find_all(exp.Anonymous))
    return varies and known and node.root().find(exp.Limit, exp.Fetch) is None
