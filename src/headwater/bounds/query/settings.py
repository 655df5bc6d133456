"""What a search may use: the catalog, parameter maxima, and how strict to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.algebra.expressions.tree import Call, Expr, Literal, Opaque, Parameter
from headwater.bounds.query.catalog import Catalog

__all__ = ["Settings", "count_bound"]


@dataclass(frozen=True, slots=True)
class Settings:
    catalog: Catalog
    maxima: Mapping[str, int] = field(default_factory=dict)  # declared for parameters
    default_limit: int = 1000  # assumed for LIMIT :n and OFFSET :n without a declared maximum
    secondary: bool = True  # may indexes be made?
    assume: bool = True  # may undeclared references be assumed?
    hot: bool = False  # may an index be led by a TEMPORAL column?
    given: frozenset[str] = frozenset()  # aliases of an enclosing query
    temporal: frozenset[tuple[str, str]] = frozenset()  # further (table, column) that grow with time
    windows: Mapping[str, tuple[str, str, int]] = field(
        default_factory=dict
    )  # a value computed first: MAX(table.column) - n

    def is_hot(self, table: str, column: str) -> bool:
        return self.catalog.temporal(table, column) or (table, column) in self.temporal

    def temporal_columns(self, table: str) -> frozenset[str]:
        """The columns of a table whose values grow with time."""
        return frozenset(name for name in self.catalog[table].column_names if self.is_hot(table, name))


_NO_LIMIT = 2**31 - 1  # who asks for so many rows asks for all


def count_bound(expr: Expr | None, settings: Settings) -> int | None:
    """The largest number that a LIMIT or OFFSET can ask for."""
    most = _largest(expr, settings)
    return most if most is not None and most < _NO_LIMIT else None


def _largest(expr: Expr | None, settings: Settings) -> int | None:
    match expr:
        case Literal(int() as number):
            return number
        case Parameter(name) if not name.startswith("$"):
            return settings.maxima.get(name, settings.default_limit)
        case Call("add", (left, right)) | Call("mul", (left, right)):
            first, second = _largest(left, settings), _largest(right, settings)
            if first is None or second is None:
                return None
            return first + second if expr.function == "add" else first * second
        case Call("least", arguments) | Opaque("least", arguments):
            bounds = (_largest(argument, settings) for argument in arguments)
            return min((bound for bound in bounds if bound is not None), default=None)
        case Call("sub", (left, Literal(int() as number))) if number >= 0:
            return _largest(left, settings)
        case _:
            return None
