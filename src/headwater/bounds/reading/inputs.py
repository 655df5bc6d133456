"""What files declare and ask: tables, views, queries, and what else says something of their rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, replace

from sqlglot import exp

from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.schema.plain_ddl import unconstrained
from headwater.bounds.reading.schema.qualified import plain_name, qualified_name, same_schema
from headwater.bounds.reading.schema.unique_terms import UniqueIndex
from headwater.bounds.reading.writes.followers import Follower
from headwater.bounds.reading.writes.triggers import Trigger
from headwater.errors import Place
from headwater.errors.shared import declared_twice
from headwater.model import SqlText, Table, View
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import same_name, spelling

__all__ = ["Inputs", "NamedTree"]


@dataclass(frozen=True, slots=True)
class NamedTree:
    """A statement to analyse; `tree` is None if it was not understood, and `problem` says why."""

    name: str
    sql: SqlText
    tree: exp.Expr | None
    place: Place | None
    problem: NotAnalysed | None = None
    strings: tuple[Token, ...] = ()  # in double quotes, which hold names in other dialects


@dataclass(slots=True)
class Inputs:
    tables: dict[str, Table] = field(default_factory=dict)
    views: list[View] = field(default_factory=list)
    plain_views: dict[str, exp.Expr] = field(default_factory=dict)  # CREATE VIEW: spread where used
    queries: list[NamedTree] = field(default_factory=list)
    unique_indexes: dict[str, UniqueIndex] = field(default_factory=dict)  # by their names
    enums: dict[str, int] = field(default_factory=dict)  # types of few values
    added_values: Counter[str] = field(default_factory=Counter)  # by ALTER TYPE, later in the file
    uncertain_types: set[str] = field(default_factory=set)  # whose values are not known
    functions: set[str] = field(default_factory=set)  # that the file creates, in small letters
    followers: list[Follower] = field(default_factory=list)  # references whose rows go with their parents
    triggers: list[Trigger] = field(default_factory=list)
    temporary_views: set[str] = field(default_factory=set)  # which hide others of their names
    plain_indexes: set[str] = field(default_factory=set)  # names of indexes that are not unique
    parents: set[str] = field(default_factory=set)  # tables that others INHERIT from, in small letters
    schemas: dict[str, str] = field(default_factory=dict)  # of tables whose names are written with one
    changed_before: set[str] = field(default_factory=set)  # tables that are changed before they are declared

    def forget(self, name: str, later: bool = False) -> None:
        """Nothing that is declared of tables of this name, in whichever schema, counts any more.

        `later`: nor does what is declared further on, if there is no such table yet (files out of order).
        """
        called = self._called(name)
        self.changed_before |= {name} if later and name and not called else set()
        for table in called:
            self.tables[table] = unconstrained(self.tables[table])
            self._forget_indexes(table)

    def add_view(self, name: str, query: exp.Expr, temporary: bool) -> None:
        """A plain view; a temporary one hides others of its name, whichever comes first."""
        if temporary:
            self.temporary_views.add(name.lower())
        elif name.lower() in self.temporary_views:
            return
        self.plain_views[name] = query

    def drop_view(self, name: str) -> None:
        wanted = name.lower()
        self.plain_views = {
            view: tree
            for view, tree in self.plain_views.items()
            if view.lower() != wanted and ("." in wanted or plain_name(view.lower()) != wanted)
        }

    def drop_index(self, name: str, table: str) -> None:
        """A unique index, or one that its table was declared with: then no key of the table is sure."""
        known = self.unique_indexes.pop(name, None) is not None or name in self.plain_indexes
        if table and not known:
            self.forget(table)

    def drop(self, name: str) -> None:
        """The table is there no more; another one may get its name."""
        self.changed_before = {held for held in self.changed_before if not same_name(held, plain_name(name))}
        for table in self._called(name):
            if "." not in name or table == plain_name(table) or same_name(table, name):
                del self.tables[table]
                self._forget_indexes(table)
                self.followers = [
                    row for row in self.followers if not same_name(row.table, plain_name(table))
                ]

    def _called(self, name: str) -> list[str]:
        wanted = plain_name(name)
        return [table for table in self.tables if same_name(plain_name(table), wanted)]

    def _forget_indexes(self, table: str) -> None:
        kept = {key: index for key, index in self.unique_indexes.items() if index.table != table}
        self.unique_indexes = kept

    def add(self, other: Inputs) -> None:
        """What other files hold besides; names that both declare are for the caller to refuse."""
        for part in fields(self):
            mine, theirs = getattr(self, part.name), getattr(other, part.name)
            setattr(self, part.name, mine + theirs if isinstance(mine, list | Counter) else mine | theirs)

    def declare(self, declared: Table | View, schema: str = "") -> None:
        """Add a table or a stored view; a name is declared once in a schema."""
        relations: tuple[Table | View, ...] = (*self.tables.values(), *self.views)
        if isinstance(declared, Table):
            declared = self._in_schema(declared, schema)
        name = spelling(declared.name, [relation.name for relation in relations])
        if name is not None:
            first = next(relation.place for relation in relations if relation.name == name)
            raise declared_twice(declared.name, declared.place, first)
        if isinstance(declared, Table):
            self.tables[declared.name] = declared
        else:
            self.views.append(declared)

    def _in_schema(self, table: Table, schema: str) -> Table:
        """The table under a name that no table of another schema has; the usual schema's is the plain one."""
        name = table.name.lower()
        other = self.schemas.get(name, schema)
        if spelling(table.name, self.tables) is None or same_schema(other, schema):
            self.schemas.setdefault(name, schema)
            return table
        if qualified_name(name, schema) != name:
            return replace(table, name=qualified_name(table.name, schema))
        held = self.tables.pop(spelling(table.name, self.tables) or "")
        self.tables[qualified_name(held.name, other)] = replace(held, name=qualified_name(held.name, other))
        self.schemas[name] = schema
        return table
