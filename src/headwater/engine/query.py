"""A query being built: text, not a DataFrame.

Every step of a DataFrame is a call into the JVM that analyses what is there so far; of a push of 25 views
that was more than half of the time.  A text is parsed and analysed once, however many steps it has, by our
own Spark and by Spark Connect alike, and building it needs no Spark at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from headwater.storage.timeline import WEIGHT

__all__ = ["Query", "quoted", "union"]


def quoted(name: str) -> str:
    """A column's name as SQL writes it, dots and all."""
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class Query:
    """A Z-set as SQL: `text` can stand in a FROM; it has these columns and the weight."""

    text: str
    columns: tuple[str, ...]
    broadcast: bool = False  # to be sent whole to wherever it is joined

    def select(
        self, items: Iterable[tuple[str, str]], weight: str = WEIGHT, where: str = "", distinct: bool = False
    ) -> Query:
        """One row out for one row in: `items` are (name, expression)."""
        items = tuple(items)
        chosen = [expr if expr == quoted(name) else f"{expr} AS {quoted(name)}" for name, expr in items]
        chosen.append(weight if weight == WEIGHT else f"{weight} AS {WEIGHT}")
        words = "SELECT DISTINCT" if distinct else "SELECT"
        tail = f" WHERE {where}" if where else ""
        return Query(
            f"({words} {', '.join(chosen)} FROM {self.text}{tail})", tuple(name for name, _ in items)
        )

    def named(self, columns: Sequence[str], weight: str = WEIGHT, where: str = "") -> Query:
        """Some of its columns, under their own names."""
        return self.select(((name, quoted(name)) for name in columns), weight, where)

    def where(self, condition: str) -> Query:
        return replace(self, text=f"(SELECT * FROM {self.text} WHERE {condition})")

    def sent_whole(self) -> Query:
        return replace(self, broadcast=True)


def union(queries: Sequence[Query]) -> Query:
    """UNION ALL of queries with the same columns, in whatever order."""
    first = queries[0]
    if len(queries) == 1:
        return first
    listed = ", ".join((*map(quoted, first.columns), WEIGHT))
    whole = " UNION ALL ".join(f"SELECT {listed} FROM {one.text}" for one in queries)
    return Query(f"({whole})", first.columns)
