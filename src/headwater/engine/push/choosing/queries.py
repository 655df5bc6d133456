"""What waits, and which of it is shown next, as Spark SQL: overload/updates/choosing, said for all keys at
once.

    inputs     what waited, what arrived since with its time, and (after a crash) minus what was shown already
    keys       one row for each key: its net changes as an array, and what is known of it
    chosen     ORDER BY priority DESC, key LIMIT n
    outputs    the changes of chosen keys go to `shown` (_part 0); those of the others, and a row about every
               key, to `waiting` (_part 1): one pass over `keys`

The inputs are distributed by key once; nothing after that is shuffled but the keys to be chosen among.

Of a table with WINDOWS a window of a key takes the place of a key: the rows of the key within it, told by its
start, which stands in the column of their time.  Those that may be shown at all, and which of them is the
newest of its key, comes before the priority (overload/updates/choosing/windows.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from headwater.algebra.expressions.tree import Expr, spark_sql
from headwater.engine.query import operators
from headwater.engine.query.query import Query, quoted
from headwater.model import RefreshWeight, WholeWindows, Windowed
from headwater.storage.choosing.waiting_table import FIRST, LAST, SEEN, UPDATES
from headwater.storage.timeline import WEIGHT

__all__ = ["ABOUT", "AT", "PART", "WORTH", "ChoosingQueries", "Statistics"]

AT = "_at"  # when a change arrived
PART = "_part"
CHANGES = "_changes"
ARRIVED = "_arrived"
TAKEN = "_taken"
WORTH = "_worth"
MAY = "_may"
FRONT = "_front"
ABOUT = (FIRST, LAST, UPDATES, SEEN)


class Statistics(NamedTuple):
    """Numbers about all keys: those known, those that wait, their updates, and since when one waits."""

    keys: int
    waits: int
    seen: int
    squares: float
    arrived: int
    taken: int
    first: int  # 0: none waits
    newest: int  # when the last of their updates arrived
    silence: float  # as in `Circumstances`
    may: int  # of those that wait, which may be shown: all, or windows that are closed


@dataclass(frozen=True, slots=True)
class ChoosingQueries:
    """Of one table: its columns with their types, its update key, and its windows."""

    types: Mapping[str, str]
    update_key: tuple[str, ...]
    windows: Windowed | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that tell apart what is chosen as a whole."""
        return self.update_key if self.windows is None else (*self.update_key, self.windows.column)

    def unit(self, name: str, of: str = "") -> str:
        """What a row of the table `of` has in a column of `key`: of its time the start of its window."""
        column = f"{of}{quoted(name)}"
        if self.windows is None or name != self.windows.column:
            return column
        micros = self.windows.length // timedelta(microseconds=1)
        return f"timestamp_micros(unix_micros({column}) - pmod(unix_micros({column}), {micros}L))"

    @property
    def columns(self) -> str:
        return ", ".join(map(quoted, self.types))

    @property
    def keys_listed(self) -> str:
        return ", ".join(map(quoted, self.key))

    def inputs(self, waited: Query, arrived: Query, shown: Query | None) -> str:
        """Changes with what they add to what is known of their keys; minus what was `shown` meanwhile."""
        inserted, none = f"greatest({WEIGHT}, 0L)", "CAST(NULL AS BIGINT)"
        parts = [
            self._input(waited, WEIGHT, (*ABOUT, "0L", "0L")),
            self._input(arrived, WEIGHT, (AT, AT, inserted, inserted, inserted, "0L")),
        ]
        if shown is not None:
            parts.append(self._input(shown, f"-{WEIGHT}", (none, none, "0L", "0L", "0L", "1L")))
        by = ", ".join(map(quoted, self.update_key))
        return f"(SELECT * FROM ({' UNION ALL '.join(parts)}) DISTRIBUTE BY {by})"

    def _input(self, changes: Query, weight: str, adds: Sequence[str]) -> str:
        added = ", ".join(
            f"{value} AS {name}" for value, name in zip(adds, (*ABOUT, ARRIVED, TAKEN), strict=True)
        )
        return f"SELECT {self.columns}, {weight} AS {WEIGHT}, {added} FROM {changes.text}"

    def keys(self, inputs: str) -> str:
        """One row for each key."""
        summed = {FIRST: "min", LAST: "max", UPDATES: "sum", SEEN: "sum", ARRIVED: "sum", TAKEN: "max"}
        known = ", ".join(f"{function}({name}) AS {name}" for name, function in summed.items())
        columns = self.columns
        net = f"(SELECT {columns}, sum({WEIGHT}) AS {WEIGHT}, {known} FROM {inputs} GROUP BY {columns})"
        fields = ", ".join(f"'{_escaped(name)}', {quoted(name)}" for name in (*self.types, WEIGHT))
        changes = f"collect_list(CASE WHEN {WEIGHT} <> 0 THEN named_struct({fields}) END)"
        units = {name: self.unit(name) for name in self.key}
        listed = ", ".join(f"{unit} AS {quoted(name)}" for name, unit in units.items())
        by = ", ".join(units.values())
        return f"SELECT {listed}, {known}, {changes} AS {CHANGES} FROM {net} GROUP BY {by}"

    def statistics(self, keys: str, now: int) -> str:
        """Numbers about all keys, in the order of `Statistics`."""
        waits = f"size({CHANGES}) > 0"
        squares = f"sum(CAST({SEEN} AS DOUBLE) * {SEEN})"
        first = f"min(CASE WHEN {waits} THEN {FIRST} END)"
        counted = f"sum({SEEN}), {squares}, sum({ARRIVED}), sum({TAKEN}), {first}"
        silence = f"sum(({SEEN} + 1.0D) * ({now} - {LAST}) / 1e6D)"
        may = f"count_if({waits} AND {MAY})"
        numbers = f"count(*), count_if({waits}), {counted}, max({LAST}), {silence}, {may}"
        return f"SELECT {numbers} FROM {self._that_may(keys, keys)}"

    def _that_may(self, rows: str, keys: str) -> str:
        """With whether each may be shown: a lazy window once a later one, of any key, has begun."""
        if self.windows is None or self.windows.semantics is WholeWindows.EAGER:
            return f"(SELECT *, true AS {MAY} FROM {rows})"
        start = quoted(self.windows.column)
        return f"(SELECT *, coalesce({start} < (SELECT max({start}) FROM {keys}), true) AS {MAY} FROM {rows})"

    def _by_front(self, rows: str) -> str:
        """With whether each is what is newest of its update key, or only goes."""
        if self.windows is None:
            return f"(SELECT *, true AS {FRONT} FROM {rows})"
        start, by = quoted(self.windows.column), ", ".join(map(quoted, self.update_key))
        newest = f"max(CASE WHEN {MAY} THEN {start} END) OVER (PARTITION BY {by})"
        goes = f"forall({CHANGES}, c -> c.{WEIGHT} < 0)"
        return f"(SELECT *, {start} <=> {newest} OR {goes} AS {FRONT} FROM {rows})"

    def chosen(self, keys: str, priority: Expr, count: int, worth: str = "") -> str:
        """The keys that are shown next. `worth`: a query of what keys are worth (`weighed`)."""
        weighed = worth or f"(SELECT *, 1.0D AS {WORTH} FROM {keys})"
        ordered = self._by_front(self._that_may(weighed, keys))
        return (
            f"(SELECT {self.keys_listed}, true AS _chosen FROM {ordered} WHERE size({CHANGES}) > 0 AND {MAY}"
            f" ORDER BY {FRONT} DESC, {spark_sql(priority)} DESC, {self.keys_listed} LIMIT {count})"
        )

    def weighed(self, keys: str, weights: Query, declared: RefreshWeight) -> str:
        """The keys with what another table says they are worth: the highest of its weights, 1 without any."""
        named = list(map(quoted, declared.keys))
        value = f"max(CAST({quoted(declared.weight)} AS DOUBLE))"
        net = f"(SELECT * FROM {operators.consolidate(weights).text} WHERE {WEIGHT} > 0)"
        rows = f"(SELECT {', '.join(named)}, {value} AS {WORTH} FROM {net} GROUP BY {', '.join(named)})"
        pairs = zip(map(quoted, declared.columns), named, strict=True)
        same = " AND ".join(f"k.{own} <=> w.{other}" for own, other in pairs)
        worth = f"greatest(coalesce(w.{WORTH}, 1.0D), 0.0D) AS {WORTH}"
        return f"(SELECT k.*, {worth} FROM {keys} AS k LEFT JOIN {rows} AS w ON {same})"

    def weighed_by_reads(self, keys: str, learnt: str, columns: Sequence[str]) -> str:
        """The keys with what they are worth by how often they are read: `learnt` has keys as texts."""
        same = " AND ".join(
            f"k.{quoted(name)} <=> try_cast(w._key{at} AS {self.types[name]})"
            for at, name in enumerate(columns)
        )
        worth = f"coalesce(w.{WORTH}, 1.0D) AS {WORTH}"
        return f"(SELECT /*+ BROADCAST(w) */ k.*, {worth} FROM {keys} AS k LEFT JOIN {learnt} AS w ON {same})"

    def marked(self, keys: str, chosen: str | None, everything: bool) -> str:
        """The keys, each with whether it is shown next."""
        if chosen is None:
            return f"(SELECT *, {'true' if everything else 'false'} AS _chosen FROM {keys})"
        same = " AND ".join(f"k.{quoted(name)} <=> c.{quoted(name)}" for name in self.key)
        return (
            f"(SELECT k.*, c._chosen IS NOT NULL AS _chosen FROM {keys} AS k"
            f" LEFT JOIN {chosen} AS c ON {same})"
        )

    def outputs(self, marked: str, remember: bool) -> str:
        """The rows to write. Without `remember` there are none about keys: everything is shown."""
        none = "CAST(NULL AS BIGINT)"
        changed = self._row(
            "IF(_chosen, 0, 1)",
            {name: f"c.{quoted(name)}" for name in self.types},
            f"c.{WEIGHT}",
            (none, none, "0L", "0L"),
        )
        rows = f"transform({CHANGES}, c -> {changed})"
        if remember:
            waits = f"size({CHANGES}) > 0 AND NOT _chosen"
            about = (f"IF({waits}, {FIRST}, NULL)", LAST, f"IF({waits}, {UPDATES}, 0L)", SEEN)
            rows = f"concat({rows}, array({self._row('1', self._key_alone(), '0L', about)}))"
        return f"SELECT inline({rows}) FROM {marked}"

    def _key_alone(self) -> dict[str, str]:
        return {
            name: quoted(name) if name in self.key else f"CAST(NULL AS {kind})"
            for name, kind in self.types.items()
        }

    def _row(self, part: str, values: Mapping[str, str], weight: str, about: Sequence[str]) -> str:
        fields = {PART: part, **values, WEIGHT: weight, **dict(zip(ABOUT, about, strict=True))}
        listed = (f"'{_escaped(name)}', {value}" for name, value in fields.items())
        return f"named_struct({', '.join(listed)})"


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")
