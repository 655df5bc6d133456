"""Which column a name means: the sources of one SELECT, and the scope around it.

Names are compared without regard to case and come out in the spelling of their declaration.  A source's
column is an expression, not only a column, because subqueries that merely select are merged away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from headwater.algebra.expressions.facts import columns_in, in_order
from headwater.algebra.expressions.tree import Column, Expr
from headwater.errors import InputError, Place, did_you_mean

__all__ = ["Scope"]


@dataclass(slots=True)
class Scope:
    """The sources in view; `outer` is the scope a subquery stands in."""

    outer: Scope | None = None
    ctes: dict[str, exp.Expr] = field(default_factory=dict)  # the subqueries of WITH that can be named here
    sources: dict[str, dict[str, Expr]] = field(default_factory=dict)  # written alias -> column -> expression
    spelling: dict[tuple[str, str], str] = field(default_factory=dict)
    merged: dict[str, Expr] = field(default_factory=dict)  # columns of USING: unqualified, one for both
    shared: set[tuple[str, str]] = field(default_factory=set)  # (source, column) that are in `merged`
    outer_columns: set[Column] = field(default_factory=set)

    def add(self, alias: str, columns: dict[str, Expr], place: Place | None) -> None:
        folded = alias.lower()
        if folded in self.sources:
            raise InputError(
                "HW403", f'two sources are called "{alias}"', place=place, hint="give one an alias"
            )
        self.sources[folded] = {name.lower(): expr for name, expr in columns.items()}
        for name in columns:
            self.spelling[folded, name.lower()] = name

    def star(self, alias: str | None, place: Callable[[], Place | None]) -> Iterator[tuple[str, Expr]]:
        """The columns of `*` or `alias.*`; `*` shows a column of USING once, before the others."""
        if alias is not None and alias.lower() not in self.sources:
            raise self._no_source(alias, place())
        if alias is None and self.shared:
            for name, expr in self.merged.items():
                yield next(self.spelling[source, name] for source, own in self.spelling if own == name), expr
        for source, columns in self.sources.items():
            if alias is None or source == alias.lower():
                for name, expr in columns.items():
                    if alias is not None or (source, name) not in self.shared:
                        yield self.spelling[source, name], expr

    def a_column_of_each_source(self) -> tuple[Column, ...]:
        """What ties an expression to the rows of all sources in view."""
        exprs = (expr for columns in self.sources.values() for expr in columns.values())
        first: dict[str, Column] = {}
        for column in in_order(column for expr in exprs for column in columns_in(expr)):
            first.setdefault(column.alias, column)
        return tuple(first.values())

    def find(self, alias: str | None, name: str, place: Callable[[], Place | None]) -> tuple[str, Expr]:
        """A column and its declared spelling."""
        match = self.lookup(alias, name, place)
        if match is not None:
            return match
        if alias is not None and not self._knows(alias):
            raise self._no_source(alias, place())
        names = [
            self.spelling[source, column] for source, columns in self.sources.items() for column in columns
        ]
        raise InputError(
            "HW402", f'there is no column "{name}"', place=place(), hint=did_you_mean(name, names)
        )

    def lookup(
        self, alias: str | None, name: str, place: Callable[[], Place | None]
    ) -> tuple[str, Expr] | None:
        folded = name.lower()
        if alias is None and folded in self.merged:
            return name, self.merged[folded]
        owners = [alias.lower()] if alias is not None else list(self.sources)
        matches = [source for source in owners if folded in self.sources.get(source, {})]
        if len(matches) > 1:
            owned = " and ".join(matches)
            raise InputError(
                "HW303", f'"{name}" may be a column of {owned}', place=place(), hint="write alias.column"
            )
        if matches:
            return self.spelling[matches[0], folded], self.sources[matches[0]][folded]
        if self.outer is None:
            return None
        above = self.outer.lookup(alias, name, place)
        if above is not None:
            self.outer_columns |= columns_in(above[1])
        return above

    def _knows(self, alias: str) -> bool:
        return alias.lower() in self.sources or (self.outer is not None and self.outer._knows(alias))

    def _no_source(self, alias: str, place: Place | None) -> InputError:
        hint = did_you_mean(alias, self.sources)
        return InputError("HW402", f'no source of this query is called "{alias}"', place=place, hint=hint)
