"""Rows that go, or change, with those that they refer to.

    posts.user REFERENCES users (id) ON DELETE CASCADE       DELETE FROM users deletes posts, too
    posts.user REFERENCES users (id) ON DELETE SET NULL      ... changes posts
    posts.user REFERENCES users (id) ON UPDATE CASCADE       UPDATE users SET id = ... changes posts

A write is bounded only if those rows are.  They are found by reading them, whatever views there may be: for
each chain of references one subquery of the write collects them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from headwater.bounds.reading.not_analysed import NoBound, NotAnalysed
from headwater.bounds.reading.schema.qualified import plain_name
from headwater.bounds.reading.writes.targets import Target
from headwater.model import Table
from headwater.sql.parsing.names import spelling
from headwater.sql.parsing.words import Words

__all__ = ["Follower", "declared_followers", "rows_that_follow", "unread_followers"]

_DONE = ("CASCADE", "SET NULL", "SET DEFAULT")


@dataclass(frozen=True, slots=True)
class Follower:
    """A reference whose rows follow; `on_delete` and `on_update` are "" where they do not."""

    table: str
    columns: tuple[str, ...]
    parent: str
    referenced: tuple[str, ...]  # () for the parent's key
    on_delete: str
    on_update: str

    @property
    def text(self) -> str:
        return f"{self.table}.{', '.join(self.columns)}"


def declared_followers(tree: exp.Expr) -> Iterator[Follower]:
    """Those of a CREATE or ALTER TABLE; a later DROP CONSTRAINT is not looked at."""
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    for reference in tree.find_all(exp.Reference):
        key = reference.find_ancestor(exp.ForeignKey)
        column = reference.find_ancestor(exp.ColumnDef)
        columns = [node.name for node in key.expressions] if key is not None else []
        columns = columns or ([column.name] if column is not None else [])
        named = reference.this.this if isinstance(reference.this, exp.Schema) else reference.this
        referenced = reference.this.expressions if isinstance(reference.this, exp.Schema) else []
        on_delete, on_update = _action(reference, "DELETE"), _action(reference, "UPDATE")
        if columns and (on_delete or on_update):
            names = tuple(node.name for node in referenced)
            yield Follower(target.name, tuple(columns), named.name.lower(), names, on_delete, on_update)


def unread_followers(words: Words) -> Iterator[Follower]:
    """Those of a CREATE or ALTER TABLE that nobody could read: its references, if rows follow any of them."""
    tokens = words.rest()
    follow = {(first.word, then.word) for first, then in pairwise(tokens)}
    if not follow & {("ON", "DELETE"), ("ON", "UPDATE")} or words.peek().word not in ("CREATE", "ALTER"):
        return
    for at, token in enumerate(tokens):
        names = [name.text.strip('[]`"').lower() for name in tokens[at + 1 : at + 4]]
        if token.word == "REFERENCES" and names:
            parent = names[2] if names[1:2] == ["."] and len(names) > 2 else names[0]
            yield Follower("", (), parent, (), "CASCADE", "CASCADE")


def _action(reference: exp.Reference, event: str) -> str:
    """What an option like ON DELETE CASCADE does."""
    start = f"ON {event} "
    options = (str(option).upper() for option in reference.args.get("options") or ())
    done = (option.removeprefix(start) for option in options if option.startswith(start))
    return next((action for action in done if action in _DONE), "")


def rows_that_follow(
    target: Target, tables: Mapping[str, Table], followers: Iterable[Follower]
) -> Iterator[exp.Expr]:
    """Subqueries of the write that read every row that is deleted or changed with its own."""
    known = tuple(dict.fromkeys(followers))
    name = plain_name(target.name).lower()
    for chain in _chains(name, target.columns, tables, known, ()):
        yield _collected(chain, target.alias, tables)


def _chains(
    parent: str,
    columns: frozenset[str] | None,
    tables: Mapping[str, Table],
    known: tuple[Follower, ...],
    before: tuple[Follower, ...],
) -> Iterator[tuple[Follower, ...]]:
    """Chains of references from a row that goes, or whose columns change."""
    for follower in known:
        action = follower.on_delete if columns is None else follower.on_update
        referenced = {name.lower() for name in _referenced(follower, tables)}
        if follower.parent != parent or not action or not (columns is None or referenced & columns):
            continue
        if not follower.columns:
            raise NotAnalysed(f"rows may follow those of {parent}, by a declaration that is not understood")
        if follower in before:
            raise NoBound(
                f"with a row of {parent} go those that refer to it ({follower.text}), "
                "with these those that refer to them, and so on"
            )
        chain = (*before, follower)
        yield chain
        goes = columns is None and action == "CASCADE"
        changed = None if goes else frozenset(name.lower() for name in follower.columns)
        yield from _chains(plain_name(follower.table).lower(), changed, tables, known, chain)


def _referenced(follower: Follower, tables: Mapping[str, Table]) -> tuple[str, ...]:
    named = spelling(follower.parent, tables)
    return follower.referenced or (tables[named].key if named is not None else ())


def _collected(chain: tuple[Follower, ...], alias: str, tables: Mapping[str, Table]) -> exp.Expr:
    """SELECT ARRAY_AGG(last.column) FROM first JOIN last ON ... WHERE first.column = alias.key"""
    names = [f"{follower.table}_that_follow" for follower in chain]
    names = [f"{name}_{number}" if names.count(name) > 1 else name for number, name in enumerate(names)]
    shown = exp.ArrayAgg(this=exp.column(chain[-1].columns[0], names[-1]))
    select = exp.select(shown).from_(exp.alias_(exp.to_table(chain[0].table), names[0], table=True))
    for number, follower in enumerate(chain[1:], 1):
        source = exp.alias_(exp.to_table(follower.table), names[number], table=True)
        condition = _matching(follower, names[number], names[number - 1], tables)
        select = select.join(source, on=condition)
    select = select.where(_matching(chain[0], names[0], alias, tables))
    return exp.Subquery(this=select)


def _matching(follower: Follower, name: str, parent: str, tables: Mapping[str, Table]) -> exp.Expr:
    pairs = zip(follower.columns, _referenced(follower, tables), strict=False)
    equal = [exp.column(column, name).eq(exp.column(other, parent)) for column, other in pairs]
    return exp.and_(*equal) if equal else exp.true()
