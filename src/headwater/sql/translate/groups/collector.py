"""The aggregates of one query, gathered while its expressions are read.

Each different aggregate is held once and stands in expressions as a column with a provisional name.  Readable
names are given at the end, when it is clear which select item is which aggregate.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headwater.algebra.expressions.tree import Column, Expr, columns_of
from headwater.algebra.plans.nodes import AggregateCall

__all__ = ["Collector", "has_aggregates"]

_MARK = "\0"


def has_aggregates(expr: Expr) -> bool:
    """Does an aggregate's provisional column stand in the expression?"""
    return any(name.startswith(_MARK) for name in columns_of(expr))


@dataclass(slots=True)
class Collector:
    calls: dict[AggregateCall, str] = field(default_factory=dict)
    grouping: dict[tuple[Expr, ...] | None, str] = field(default_factory=dict)

    def keep(self, aggregate: AggregateCall) -> Column:
        """The column that stands for an aggregate."""
        nameless = replace(aggregate, name="")
        return Column(self.calls.setdefault(nameless, f"{_MARK}{len(self.calls)}"))

    def ask_grouping(self, keys: tuple[Expr, ...] | None) -> Column:
        """The column that says which of the keys a row is not grouped by; None for all keys."""
        return Column(self.grouping.setdefault(keys, f"{_MARK}grouping{len(self.grouping)}"))

    def names(self) -> tuple[str, ...]:
        return tuple(self.calls.values())

    def named(self, names: dict[str, str]) -> tuple[AggregateCall, ...]:
        """The aggregates under their final names."""
        return tuple(replace(aggregate, name=names[mark]) for aggregate, mark in self.calls.items())
