"""From a sqlglot SELECT to a block: names resolved, joins turned into conditions, subqueries merged.

FROM is read by from_clause, what is shown by select_list, expressions by convert.  What is left out
(recursion, FULL JOIN, table functions) raises NotAnalysed with the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from headwater.algebra.expressions.build import ZERO
from headwater.algebra.expressions.facts import columns_in, has_aggregate, has_subquery
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal
from headwater.bounds.query.block import Order, Query, Select, Top, Union
from headwater.bounds.query.forms.derived import flattened
from headwater.bounds.query.forms.merging import inner_where_possible
from headwater.bounds.query.forms.tops import with_tops
from headwater.bounds.query.forms.unions import with_branches
from headwater.bounds.query.names import Names
from headwater.bounds.reading.expressions.convert import conditions_of, convert, place_of
from headwater.bounds.reading.expressions.leaves import numbered_parameters
from headwater.bounds.reading.from_clause import WHOLE, Ctes, FromClause, gives_any_number, spread_views
from headwater.bounds.reading.ledger import Ledger
from headwater.bounds.reading.not_analysed import NoBound, NotAnalysed
from headwater.bounds.reading.scope import Scope
from headwater.bounds.reading.select_list import SelectList, outputs_of
from headwater.bounds.reading.tops import distinct_on, qualified, ranking_of
from headwater.bounds.reading.trees import direction, ordered, own_clauses, text_of, windows
from headwater.errors import InputError, Place
from headwater.model import SqlText, Table

__all__ = ["read_query"]

_DEEPEST = 60  # subqueries within subqueries
_NO_LIMIT = 2**31 - 1  # the greatest numbers of 32 or 64 bits stand for no limit at all


def read_query(
    tree: exp.Expr,
    tables: Mapping[str, Table],
    sql: SqlText,
    views: Mapping[str, exp.Expr] | None = None,
    schemas: Mapping[str, str] | None = None,
) -> Query:
    """The block of a parsed SELECT over the declared tables; `views` are spread where they are named."""
    folded = {name.lower(): table for name, table in tables.items()}
    reader = _Reader(folded, sql, schemas or {})
    statement = reader.ledger.enter(numbered_parameters(tree))
    spread = spread_views(views or {}, reader.ledger)
    query, _ = reader.query(statement, None, spread)
    for whole in (statement, *(view.this for view in spread.values() if reader.ledger.has(view.this))):
        unread = reader.ledger.unread(whole)
        if unread is not None:
            raise NotAnalysed(f"{_described(unread)} is not understood", reader.place(unread))
    return with_branches(query)


def _described(part: exp.Expr) -> str:
    text = text_of(part).replace("\n", " ")
    return f"{part.key.upper()} ({text[:60]}{'...' if len(text) > 60 else ''})"


@dataclass(slots=True)
class _Reader:
    tables: Mapping[str, Table]
    sql: SqlText
    schemas: Mapping[str, str] = field(default_factory=dict)  # of tables, where they are written
    names: Names = field(default_factory=Names)
    depth: int = 0
    declared: dict[str, Table] = field(default_factory=dict)  # by alias
    ledger: Ledger = field(default_factory=Ledger)

    def note(self, *parts: exp.Expr) -> None:
        self.ledger.note(*parts)

    def place(self, node: exp.Expr) -> Place | None:
        return place_of(node, self.sql.place)

    def type_of(self, column: Column) -> str:
        table = self.declared.get(column.alias)
        declaration = None if table is None else table.column(column.name)
        return "" if declaration is None else declaration.type

    def subquery(self, node: exp.Expr, scope: Scope) -> tuple[Query, Scope]:
        return self.query(node, scope, scope.ctes)

    def query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> tuple[Query, Scope]:
        """A query and the scope of its names; `outer` is the scope that it may see."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotAnalysed("its subqueries are nested too deeply", self.place(node))
        try:
            return self._query(node, outer, ctes)
        finally:
            self.depth -= 1

    def _query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> tuple[Query, Scope]:
        self.note(node)
        while isinstance(node, exp.Subquery | exp.Paren) and not own_clauses(node):
            node = node.this
            self.note(node)
        ctes = self._with(node, ctes)
        match node:
            case exp.SetOperation():
                return self._union(node, outer, ctes)
            case exp.Select():
                return self._select(node, outer, ctes)
            case _:
                raise NotAnalysed(f"{node.key.upper()} is not a SELECT", self.place(node))

    def _with(self, node: exp.Expr, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        if clause.args.get("recursive"):
            raise NoBound("WITH RECURSIVE has no bound on its depth", self.place(clause))
        own: Ctes = {}
        for cte in clause.expressions:
            own[cte.alias.lower()] = body = exp.Subquery(this=cte.this, alias=cte.args.get("alias"))
            body.meta[WHOLE] = cte.args.get("materialized") is True
        return {**ctes, **own}

    def _union(self, node: exp.SetOperation, outer: Scope | None, ctes: Ctes) -> tuple[Query, Scope]:
        left, scope = self.query(node.this, outer, ctes)
        right, below = self.query(node.expression, outer, ctes)
        scope.outer_columns |= below.outer_columns
        if len(left.columns) != len(right.columns):
            raise InputError(
                "HW307", "the parts of a UNION have different numbers of columns", place=self.place(node)
            )
        kind = "all" if isinstance(node, exp.Union) else node.key
        if isinstance(node, exp.Union) and node.args.get("distinct", True):
            kind = "distinct"
        order = tuple(self._union_order(item, left.columns) for item in ordered(node))
        limit, offset = self._cut(node, scope)
        return Union((left, right), kind, order, limit, offset), scope

    def _union_order(self, node: exp.Expr, columns: tuple[str, ...]) -> Order:
        target = node.this if isinstance(node, exp.Ordered) else node
        self.note(target)
        if isinstance(target, exp.Literal) and not target.is_string and 0 < int(target.this) <= len(columns):
            return direction(node, Column(columns[int(target.this) - 1]))
        named = [name for name in columns if name.lower() == target.name.lower()]
        if not isinstance(target, exp.Column) or not named:
            text = "a UNION is ordered by something that is not one of its columns"
            raise NotAnalysed(text, self.place(node))
        return direction(node, Column(named[0]))

    def _cut(self, node: exp.Expr, scope: Scope) -> tuple[Expr | None, Expr | None]:
        """LIMIT and OFFSET, or FETCH; LIMIT ALL and LIMIT NULL are none.

        Nor are the numbers that ORMs write where they want an OFFSET alone: the greatest there is, or -1.
        """
        limit, offset = node.args.get("limit"), node.args.get("offset")
        count: exp.Expr | None = None
        _refuse_open_cut(limit, self.place(node))
        if any(clause is not None and clause.find(exp.Query) for clause in (limit, offset)):
            raise NoBound("LIMIT or OFFSET is computed by a subquery: any number", self.place(node))
        if isinstance(limit, exp.Fetch):
            count = limit.args.get("count") or exp.Literal.number(1)
        elif limit is not None:
            count = limit.expression
        shift = offset.expression if offset is not None else None
        if limit is not None and limit.args.get("offset") is not None:
            shift = limit.args["offset"]
        while isinstance(count, exp.Cast | exp.Paren):  # LIMIT $2::int
            self.note(count)
            count = count.this
        cut = None if count is None else convert(count, scope, self)
        if _is_no_limit(cut) or _counts_all_rows(node):
            cut = None
        skipped = None if shift is None else convert(shift, scope, self)
        return cut, None if skipped == ZERO else skipped

    def _select(self, node: exp.Select, outer: Scope | None, ctes: Ctes) -> tuple[Query, Scope]:
        self._refuse(node)
        self.note(*(node.args.get("operation_modifiers") or []))
        scope = Scope(outer, ctes)
        clause = FromClause(self, scope, ctes)
        first = node.args.get("from_")
        if first is not None:
            clause.add(first.this)
        for join in node.args.get("joins") or []:
            clause.join(join)
        where = node.args.get("where")
        if where is not None:
            clause.where += conditions_of(where.this, scope, self)
        return self._finish(node, scope, clause), scope

    def _refuse(self, node: exp.Select) -> None:
        for lateral in node.args.get("laterals") or []:
            if gives_any_number(lateral):
                raise NoBound("LATERAL VIEW gives any number of rows", self.place(node))
        for name, what in (
            ("laterals", "LATERAL VIEW"), ("connect", "CONNECT BY"), ("match", "MATCH_RECOGNIZE"),
            ("pivots", "PIVOT"), ("into", "SELECT INTO"),
        ):  # fmt: skip
            if node.args.get(name):
                raise NotAnalysed(f"{what} is not understood", self.place(node))
        if node.args.get("sample"):
            raise NoBound("TABLESAMPLE reads a share of all rows", self.place(node))
        if any(lock.args.get("wait") is False for lock in node.args.get("locks") or []):
            text = "SKIP LOCKED passes over as many rows as others have locked"
            raise NoBound(text, self.place(node))

    def _finish(self, node: exp.Select, scope: Scope, clause: FromClause) -> Select:
        shown = SelectList(outputs_of(node, scope, self), scope, self)
        group = shown.groups(node)
        if group and not any(map(columns_in, group)) and not any(map(has_subquery, group)):
            raise NotAnalysed("it groups by constants alone: all rows are one group", self.place(node))
        having = self._having(node, shown)
        order = tuple(shown.order(item) for item in ordered(node))
        exprs = (*(output.expr for output in shown.outputs), *having, *(item.expr for item in order))
        if group is None and any(map(has_aggregate, exprs)):
            group = ()
        if group is None:  # MySQL's HAVING without groups is a WHERE that knows the outputs
            clause.where += having
            having = ()
        clause.where += clause.unused_values((*exprs, *clause.where))
        limit, offset = self._cut(node, scope)
        self._named_windows(node, scope)
        top = self._top(node, scope, order)
        if top is not None and (group is not None or (len(windows(node)) and not node.args.get("qualify"))):
            text = "the first rows of each group stand beside a grouping or a window function"
            raise NotAnalysed(text, self.place(node))
        return _in_simple_form(
            Select(
                sources=tuple(clause.sources),
                where=tuple(dict.fromkeys(clause.where)),
                outputs=shown.outputs,
                left_joins=tuple(clause.left_joins),
                group=group,
                having=having,
                distinct=node.args.get("distinct") is not None and top is None,
                order=order,
                limit=limit,
                offset=offset,
                windowed=top is None and bool(windows(node)),
                ranking=ranking_of(node, shown.outputs, lambda part: convert(part, scope, self)),
                top=top,
            )
        )

    def _named_windows(self, node: exp.Select, scope: Scope) -> None:
        """WINDOW w AS (...): how the rows of a window function lie changes no bound, but a subquery would."""
        for window in node.args.get("windows") or []:
            if has_subquery(convert(window, scope, self)):
                raise NotAnalysed("a named window has a subquery", self.place(node))

    def _top(self, node: exp.Select, scope: Scope, order: tuple[Order, ...]) -> Top | None:
        def inner(part: exp.Expr) -> Expr:
            return convert(part, scope, self)

        return distinct_on(node, order, inner, self.note) or qualified(node, inner, self.note)

    def _having(self, node: exp.Select, shown: SelectList) -> tuple[Expr, ...]:
        having = node.args.get("having")
        if having is None:
            return ()
        scope = shown.aliased_scope(having.this, first=node.args.get("group") is None)
        return conditions_of(having.this, scope, self)


def _in_simple_form(block: Select) -> Select:
    """Left joins are inner joins where they can be, ranks are cut, a grouping alone is the block itself."""
    return flattened(with_tops(inner_where_possible(block)))


def _is_no_limit(cut: Expr | None) -> bool:
    if isinstance(cut, Literal) and cut.value is None:
        return True
    number = _constant(cut)
    return number is not None and not 0 <= number < _NO_LIMIT


def _constant(expr: Expr | None) -> int | None:
    """A whole number, or the sum, difference or product of some."""
    match expr:
        case Literal(int() as number):
            return number
        case Call("neg", (inner,)):
            value = _constant(inner)
            return None if value is None else -value
        case Call("add" | "sub" | "mul" as operator, (one, two)):
            left, right = _constant(one), _constant(two)
            if left is None or right is None:
                return None
            return {"add": left + right, "sub": left - right, "mul": left * right}[operator]
        case _:
            return None


def _counts_all_rows(node: exp.Expr) -> bool:
    """SQL_CALC_FOUND_ROWS finds all rows, however few it returns."""
    return any(
        word.name.upper() == "SQL_CALC_FOUND_ROWS" for word in node.args.get("operation_modifiers") or []
    )


def _refuse_open_cut(limit: exp.Expr | None, place: Place | None) -> None:
    """Cuts that do not say how many rows they keep: PERCENT, WITH TIES, LIMIT BY."""
    if limit is None:
        return
    options = limit.args.get("limit_options")
    if options is not None and options.args.get("with_ties"):
        raise NoBound("WITH TIES may return any number of rows", place)
    if options is not None and options.args.get("percent"):
        raise NoBound("a cut in PERCENT grows with the rows it is taken of", place)
    if limit.expressions:
        raise NotAnalysed("LIMIT BY is not understood", place)
