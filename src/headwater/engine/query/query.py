"""A query under construction, as text instead of a DataFrame.

Every step of a DataFrame is a call into the JVM that analyses everything so far; in a push of 25 views that
was more than half of the time.  A text is parsed and analysed once, however many steps it has, by classic
Spark and Spark Connect alike, and writing it needs no Spark at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from headwater.storage.timeline import WEIGHT

__all__ = ["Query", "quoted", "union"]


def quoted(name: str) -> str:
    """A column's name as SQL writes it, even with dots in it."""
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class Query:
    """A Z-set as SQL: `text` can be used in a FROM; it has these columns and the weight."""

    text: str
    columns: tuple[str, ...]
    joined_by: str = ""  # hint: how Spark brings it to those that it is joined with

    def select(
        self, items: Iterable[tuple[str, str]], weight: str = WEIGHT, where: str = "", distinct: bool = False
    ) -> Query:
        """One output row per input row: `items` are (name, expression)."""
        items = tuple(items)
        outputs = [expr if expr == quoted(name) else f"{expr} AS {quoted(name)}" for name, expr in items]
        outputs.append(weight if weight == WEIGHT else f"{weight} AS {WEIGHT}")
        words = "SELECT DISTINCT" if distinct else "SELECT"
        tail = f" WHERE {where}" if where else ""
        return Query(
            f"({words} {', '.join(outputs)} FROM {self.text}{tail})", tuple(name for name, _ in items)
        )

    def named(self, columns: Sequence[str], weight: str = WEIGHT, where: str = "") -> Query:
        """The given columns, under their own names."""
        return self.select(((name, quoted(name)) for name in columns), weight, where)

    def where(self, condition: str) -> Query:
        return replace(self, text=f"(SELECT * FROM {self.text} WHERE {condition})")

    def broadcasted(self) -> Query:
        """All of it is sent to every task that joins it."""
        return replace(self, joined_by="BROADCAST")

    def sent(self, one_task: bool) -> Query:
        """What is small, on its way to the rows that it is joined with: in one task or in many."""
        return self.hashed() if one_task else self.broadcasted()

    def hashed(self) -> Query:
        """The task that joins it makes a hash table of what it reads."""
        return replace(self, joined_by="SHUFFLE_HASH")


def union(queries: Sequence[Query]) -> Query:
    """UNION ALL of queries with the same columns, in any order."""
    first = queries[0]
    if len(queries) == 1:
        return first
    listed = ", ".join((*map(quoted, first.columns), WEIGHT))
    selects = " UNION ALL ".join(f"SELECT {listed} FROM {query.text}" for query in queries)
    return Query(f"({selects})", first.columns)
