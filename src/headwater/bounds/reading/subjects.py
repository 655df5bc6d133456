"""From trees to subjects: queries resolved against the tables, stored views as tables of their own.

Writes are analysed by what they read: UPDATE and DELETE find their rows like a SELECT of the key; an INSERT
of values reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater import model
from headwater.algebra.expressions.tree import Column, Expr
from headwater.bounds.answers.analyse import Subject
from headwater.bounds.answers.answer import Answer, Level, Reason
from headwater.bounds.query.as_shown import as_shown
from headwater.bounds.query.block import Base, Query, Select
from headwater.bounds.query.catalog import Catalog, UniqueTerms
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.dependencies import atoms, closure, dependencies, determines
from headwater.bounds.reading.expressions.functions import function_name
from headwater.bounds.reading.not_analysed import NoBound, NotAnalysed
from headwater.bounds.reading.quotes import refuse_ambiguous
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.schema.plain_ddl import with_unique_index
from headwater.bounds.reading.schema.qualified import plain_name
from headwater.bounds.reading.schema.unique_terms import unique_terms
from headwater.bounds.reading.sources import Inputs, NamedTree, maxima_of
from headwater.bounds.reading.writes.as_select import as_select
from headwater.bounds.reading.writes.triggers import refuse_triggers
from headwater.errors import InputError, Place
from headwater.model import Cardinality, ForeignKey, Table, View
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.parser import normalised_tree
from headwater.sql.parsing.relations import relations_read

__all__ = ["Options", "subject_of", "tables_with_views"]


@dataclass(frozen=True, slots=True)
class Options:
    default_limit: int = 1000
    strict: bool = False


def subject_of(statement: NamedTree, inputs: Inputs, catalog: Catalog, options: Options) -> Subject | Answer:
    """A subject, or at once the answer "not analysed"."""
    try:
        query = _query(statement, inputs, catalog)
    except NoBound as error:
        reason = Reason(error.reason, error.place or statement.place)
        return Answer(statement.name, Level.UNBOUNDED, reasons=(reason,), place=statement.place)
    except NotAnalysed as error:
        return _not_analysed(statement, error.reason, error.place)
    except InputError as error:  # an unknown table or column: the other queries are answered all the same
        hint = f" ({error.hint})" if error.hint else ""
        return _not_analysed(statement, error.message + hint, error.place)
    except RecursionError:
        return _not_analysed(statement, "it is nested too deeply", None)
    maxima = maxima_of(statement.sql)
    return Subject(
        statement.name, query, catalog, maxima, options.default_limit, options.strict, statement.place
    )


def _not_analysed(statement: NamedTree, because: str, place: Place | None) -> Answer:
    reason = Reason(f"not analysed, because {because}", place or statement.place)
    return Answer(statement.name, Level.NOT_ANALYSED, reasons=(reason,), place=statement.place)


def _query(statement: NamedTree, inputs: Inputs, catalog: Catalog) -> Query:
    if statement.tree is None:
        raise statement.problem or NotAnalysed("it was not understood", statement.place)
    refuse_triggers(statement.tree, inputs.triggers)
    tree = as_select(statement.tree, catalog.tables, inputs.followers)
    _refuse_own_functions(tree, inputs)
    refuse_ambiguous(statement.sql, statement.strings, _names_in_reach(tree, inputs, catalog))
    _refuse_unread_views(statement, tree, inputs, catalog)
    return read_query(tree, catalog.tables, statement.sql, inputs.plain_views, inputs.schemas)


def _refuse_own_functions(tree: exp.Expr, inputs: Inputs) -> None:
    """A function that the file creates may read anything, whatever others of its name do."""
    for root in (tree, *inputs.plain_views.values()) if inputs.functions else ():
        for node in root.find_all(exp.Func):
            names = {function_name(node), *([] if isinstance(node, exp.Anonymous) else node.sql_names())}
            own = {name.lower() for name in names} & inputs.functions
            if own:
                raise NotAnalysed(
                    f"the function {min(own)} is created in the file: what it does is not known"
                )


def _names_in_reach(tree: exp.Expr, inputs: Inputs, catalog: Catalog) -> Iterator[str]:
    """The tables that a statement reads, also through plain views, and their columns."""
    plain = {plain_name(name).lower(): view for name, view in inputs.plain_views.items()}
    for reading in relations_read(tree):
        yield reading.name
        table = spelling(reading.name, catalog.tables)
        yield from catalog[table].column_names if table is not None else ()
        view = plain.pop(reading.name.lower(), None)
        if view is not None:
            yield from view.named_selects if isinstance(view, exp.Query) else ()
            yield from _names_in_reach(view, replace(inputs, plain_views=plain), catalog)


def _refuse_unread_views(statement: NamedTree, tree: exp.Expr, inputs: Inputs, catalog: Catalog) -> None:
    """A query over a view that was not analysed is not either, and says whose fault that is."""
    views = {view.name.lower(): view for view in inputs.views}
    for reading in relations_read(tree):
        view = views.get(reading.name.lower())
        if view is not None and spelling(view.name, catalog.tables) is None:
            place = statement.sql.place(reading.start, reading.length)
            raise NotAnalysed(f'it reads the view "{view.name}": {_problem(view, inputs, catalog)}', place)


def _problem(view: View, inputs: Inputs, catalog: Catalog) -> str:
    try:
        _view_query(view, inputs, catalog)
    except NotAnalysed as error:
        return error.reason
    except InputError as error:
        return error.message
    return "it reads a view that was not analysed"


def tables_with_views(inputs: Inputs) -> Catalog:
    """The declared tables, and stored views as tables with the keys and limits that follow from theirs.

    A view that cannot be analysed is left out; a query that reads it is then not analysed either.
    """
    for parent in inputs.parents:
        inputs.forget(parent)
    tables = dict(inputs.tables)
    terms: dict[str, tuple[UniqueTerms, ...]] = {}
    for index in inputs.unique_indexes.values():
        unique = unique_terms(index, tables[index.table])
        if unique is not None:
            terms[index.table] = (*terms.get(index.table, ()), unique)
        tables[index.table] = with_unique_index(tables[index.table], index)
    catalog = Catalog(tables, terms)
    for view in inputs.views:
        try:
            seen = catalog if view.every_change else as_shown(catalog)
            table = _view_table(view, _view_query(view, inputs, seen), seen)
        except (NotAnalysed, InputError):
            continue
        catalog = replace(catalog.with_tables(table), views=catalog.views | {view.name})
    return catalog


def _view_query(view: View, inputs: Inputs, catalog: Catalog) -> Query:
    tree = normalised_tree(view.sql)
    return read_query(tree, catalog.tables, view.sql, inputs.plain_views, inputs.schemas)


def _view_table(view: View, query: Query, catalog: Catalog) -> Table:
    names = view.columns or query.columns
    if not isinstance(query, Select):
        return Table(view.name, tuple(model.Column(name, "string") for name in names), place=view.place)
    shown = _shown(query, names)
    return Table(
        name=view.name,
        columns=tuple(
            _column(query, name, output.expr, catalog)
            for name, output in zip(names, query.outputs, strict=True)
        ),
        key=_key(query, shown, catalog),
        cardinalities=tuple(_limits(query, shown, catalog)),
        foreign_keys=tuple(_references(query, shown, catalog)),
        place=view.place,
    )


def _shown(query: Select, names: tuple[str, ...]) -> Mapping[Expr, str]:
    """Every expression that equals an output, with the output's name."""
    classes = Classes.of(query.where)
    shown: dict[Expr, str] = {}
    for name, output in zip(names, query.outputs, strict=True):
        for member in classes.of_member(output.expr):
            shown.setdefault(member, name)
    return shown


def _column(query: Select, name: str, expr: Expr, catalog: Catalog) -> model.Column:
    if isinstance(expr, Column) and isinstance(source := query.source(expr.alias), Base):
        column = catalog.column(source.table, expr.name)
        if column is not None:
            return model.Column(name, column.type, column.nullable or bool(query.left_joins), column.temporal)
    return model.Column(name, "string")


def _identity(query: Select, catalog: Catalog) -> tuple[Expr, ...] | None:
    """What tells the rows of the query apart, before projection."""
    if query.group is not None:
        return query.group
    identity: list[Expr] = []
    for source in query.sources:
        if not isinstance(source, Base) or not catalog[source.table].key or query.left_joins:
            return None
        identity += [Column(name, source.alias) for name in catalog[source.table].key]
    return tuple(identity)


def _key(query: Select, shown: Mapping[Expr, str], catalog: Catalog) -> tuple[str, ...]:
    """What identifies a row, without what follows from the rest: the name beside a customer's number."""
    identity = _identity(query, catalog)
    if identity is None or not all(expr in shown for expr in identity):
        return ()
    rules = dependencies(query, catalog, identity)
    needed = identity
    for expr in reversed(identity):
        others = tuple(other for other in needed if other != expr)
        if others and determines(others, expr, rules):
            needed = others
    return tuple(dict.fromkeys(shown[expr] for expr in needed))


def _limits(query: Select, shown: Mapping[Expr, str], catalog: Catalog) -> list[Cardinality]:
    """Limits of the base tables that still hold in the view."""
    identity = _identity(query, catalog)
    if identity is None:
        return []
    rules = dependencies(query, catalog, identity)
    goal = atoms(identity)
    limits = []
    for rule in rules:
        if rule.source and all(expr in shown for expr in rule.source):
            bound = closure(rule.source, goal, rules)
            if bound is not None:
                names = tuple(sorted({shown[expr] for expr in rule.source}))
                limits.append(Cardinality(names, bound[0]))
    return limits


def _references(query: Select, shown: Mapping[Expr, str], catalog: Catalog) -> list[ForeignKey]:
    references = []
    for source in query.sources:
        if isinstance(source, Base):
            for key in catalog.foreign_keys(source.table):
                columns: list[Expr] = [Column(name, source.alias) for name in key.columns]
                if all(column in shown for column in columns):
                    names = tuple(shown[column] for column in columns)
                    references.append(ForeignKey(names, key.table, key.referenced))
    return references
