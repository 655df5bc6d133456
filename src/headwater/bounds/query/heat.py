"""Hot spots: orders in which new rows arrive at few places.

Rows whose TEMPORAL column grows with time arrive at the end of an index led by it, all on one machine.  A
part before it does not help if it has few values (a BOOLEAN) or one constant (status = 'open'): the index
then has as many hot ends.  Nor does a function of the column (DATE(created_at)), unless it scatters its
values.  An expression counts as one of few values (a % 3, CASE ...) unless it is known to keep values apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from headwater.algebra.expressions.facts import columns_in
from headwater.algebra.expressions.tree import Call, Column, Expr, Opaque

__all__ = ["hot_part"]

_KEEPING_APART = {"lower", "upper", "token", "concat", "add", "sub", "neg", "trim", "md5", "hash"}
_SCATTERING = {"mod", "hash", "md5", "sha", "sha1", "sha2", "crc32", "xxhash64", "reverse"}


def hot_part(
    parts: Iterable[Expr], is_temporal: Callable[[Column], bool], has_few_values: Callable[[Expr], bool]
) -> Expr | None:
    """The part of an order at whose end new rows arrive; None if what stands before it spreads them."""
    for part in parts:
        if any(map(is_temporal, columns_in(part))):
            return None if _scatters(part) else part
        if (isinstance(part, Column) or _keeps_apart(part)) and not has_few_values(part):
            return None
    return None


def _keeps_apart(expr: Expr) -> bool:
    match expr:
        case Call(name) | Opaque(name):
            return name in _KEEPING_APART or name.startswith("cast_")
        case _:
            return False


def _scatters(expr: Expr) -> bool:
    match expr:
        case Call(name) | Opaque(name):
            return name in _SCATTERING
        case _:
            return False
