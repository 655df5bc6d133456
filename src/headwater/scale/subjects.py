"""From trees to subjects: queries resolved against the tables, stored views as tables of their own.

Writes are analysed by what they read: UPDATE and DELETE find their rows like a SELECT of the key; an INSERT
of values reads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.errors import InputError
from headwater.model import Cardinality, Column, ForeignKey, Table, View
from headwater.scale.analyse import Subject
from headwater.scale.answer import Answer, Level, Reason
from headwater.scale.block import Base, Select
from headwater.scale.catalog import Catalog
from headwater.scale.classes import Classes
from headwater.scale.dependencies import atoms, closure, dependencies
from headwater.scale.expr import Col, Expr
from headwater.scale.notanalysed import NotAnalysed
from headwater.scale.read import read_query
from headwater.scale.sources import Inputs, NamedTree, maxima_of
from headwater.sql.select import parse_select

__all__ = ["Options", "subject_of", "tables_with_views"]


@dataclass(frozen=True, slots=True)
class Options:
    default_limit: int = 1000
    strict: bool = False


def subject_of(one: NamedTree, inputs: Inputs, catalog: Catalog, options: Options) -> Subject | Answer:
    """A subject, or at once the answer "not analysed"."""
    try:
        if one.tree is None:
            raise NotAnalysed(one.error, one.place)
        query = read_query(_as_select(one.tree), catalog.tables, one.sql, inputs.plain_views)
    except NotAnalysed as error:
        reason = Reason(f"not analysed, because {error.reason}", error.place or one.place)
        return Answer(one.name, Level.NOT_ANALYSED, reasons=(reason,), place=one.place)
    except RecursionError:
        reason = Reason("not analysed, because it is nested too deeply", one.place)
        return Answer(one.name, Level.NOT_ANALYSED, reasons=(reason,), place=one.place)
    return Subject(
        one.name, query, catalog, maxima_of(one.sql), options.default_limit, options.strict, one.place
    )


def _as_select(tree: exp.Expr) -> exp.Expr:
    """What a statement reads."""
    match tree:
        case exp.Insert() if isinstance(tree.expression, exp.Select | exp.SetOperation):
            return tree.expression
        case exp.Insert():
            return exp.select("1")
        case exp.Update() | exp.Delete() if isinstance(tree.this, exp.Table) and not tree.args.get("using"):
            if tree.args.get("from_") or tree.args.get("joins") or tree.this.args.get("joins"):
                raise NotAnalysed(f"{tree.key.upper()} joins other tables")
            select = exp.select("*").from_(tree.this.copy())
            where = tree.args.get("where")
            return select.where(where.this.copy()) if where is not None else select
        case _:
            return tree


def tables_with_views(inputs: Inputs) -> Catalog:
    """The declared tables, and stored views as tables with the keys and limits that follow from theirs."""
    catalog = Catalog(dict(inputs.tables))
    for view in inputs.views:
        table = _view_table(view, catalog)
        if table is not None:
            catalog = catalog.with_tables(table)
    return catalog


def _view_table(view: View, catalog: Catalog) -> Table | None:
    try:
        query = read_query(parse_select(view.sql), catalog.tables, view.sql)
    except (NotAnalysed, InputError):
        return None
    names = view.columns or query.columns
    if not isinstance(query, Select):
        return Table(view.name, tuple(Column(name, "string") for name in names), place=view.place)
    shown = _shown(query, names)
    return Table(
        name=view.name,
        columns=tuple(
            _column(query, name, one.expr, catalog) for name, one in zip(names, query.outputs, strict=True)
        ),
        key=_key(query, shown, catalog),
        cardinalities=tuple(_limits(query, shown, catalog)),
        foreign_keys=tuple(_references(query, shown, catalog)),
        place=view.place,
    )


def _shown(query: Select, names: tuple[str, ...]) -> Mapping[Expr, str]:
    """Every expression that equals an output, with the output's name."""
    classes = Classes.of(query.where)
    found: dict[Expr, str] = {}
    for name, one in zip(names, query.outputs, strict=True):
        for member in classes.of_member(one.expr):
            found.setdefault(member, name)
    return found


def _column(query: Select, name: str, expr: Expr, catalog: Catalog) -> Column:
    if isinstance(expr, Col) and isinstance(source := query.source(expr.alias), Base):
        known = catalog.column(source.table, expr.name)
        if known is not None:
            return Column(name, known.type, known.nullable or bool(query.left_joins), known.temporal)
    return Column(name, "string")


def _identity(query: Select, catalog: Catalog) -> tuple[Expr, ...] | None:
    """What tells the rows of the query apart, before projection."""
    if query.group is not None:
        return query.group
    found: list[Expr] = []
    for source in query.sources:
        if not isinstance(source, Base) or not catalog[source.table].key or query.left_joins:
            return None
        found += [Col(source.alias, name) for name in catalog[source.table].key]
    return tuple(found)


def _key(query: Select, shown: Mapping[Expr, str], catalog: Catalog) -> tuple[str, ...]:
    identity = _identity(query, catalog)
    if identity is None or not all(one in shown for one in identity):
        return ()
    return tuple(dict.fromkeys(shown[one] for one in identity))


def _limits(query: Select, shown: Mapping[Expr, str], catalog: Catalog) -> list[Cardinality]:
    """Limits of the base tables that still hold in the view."""
    identity = _identity(query, catalog)
    if identity is None:
        return []
    rules = dependencies(query, catalog, identity)
    goal = atoms(identity)
    found = []
    for rule in rules:
        if rule.source and all(one in shown for one in rule.source):
            bound = closure(rule.source, goal, rules)
            if bound is not None:
                names = tuple(sorted({shown[one] for one in rule.source}))
                found.append(Cardinality(names, bound[0]))
    return found


def _references(query: Select, shown: Mapping[Expr, str], catalog: Catalog) -> list[ForeignKey]:
    found = []
    for source in query.sources:
        if isinstance(source, Base):
            for one in catalog.foreign_keys(source.table):
                own: list[Expr] = [Col(source.alias, name) for name in one.columns]
                if all(col in shown for col in own):
                    found.append(ForeignKey(tuple(shown[col] for col in own), one.table, one.referenced))
    return found
