"""What a project is: tables, views, queries and sites, as frozen values.

Nothing here knows about files, Spark or time.  `sql/` makes these values from DDL, `project/` gathers them
from a folder, and everything else decides on them.  Long because one file shows what can be declared.

Types are Spark's simple strings ("bigint", "decimal(10,2)", "struct<start:timestamp,end:timestamp>").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING

from headwater.errors import Place

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = [
    "Cardinality",
    "Column",
    "Durability",
    "Expectation",
    "ForeignKey",
    "JoinWindow",
    "LEAST_WINDOW",
    "Overload",
    "Prices",
    "Project",
    "Query",
    "RefreshPolicy",
    "ReadWeight",
    "RefreshWeight",
    "Retain",
    "RetainRows",
    "Retention",
    "Site",
    "SqlText",
    "Stream",
    "Table",
    "Updates",
    "View",
    "Watermark",
    "Weaving",
    "WholeWindows",
    "Windowed",
]


@dataclass(frozen=True, slots=True)
class SqlText:
    """A piece of SQL as its author wrote it, with the file it stands in: errors point there."""

    text: str
    path: str = "<sql>"
    source: str = field(default="", repr=False)  # the whole file's text
    offset: int = 0  # where `text` starts in it
    tree: exp.Query | None = field(default=None, compare=False, repr=False)  # of a SELECT, once parsed
    # Stretches of the text that stand elsewhere: (start, end, what is written there).
    parts: tuple[tuple[int, int, SqlText], ...] = field(default=(), compare=False, repr=False)

    def place(self, offset: int = 0, length: int = 1) -> Place:
        """The place of an offset counted from the start of `text`."""
        for start, end, part in self.parts:
            if start <= offset < end:
                return part.place(offset - start, min(length, end - offset))
        if self.offset + offset < 0:  # in words that nobody wrote
            return self.place(-self.offset, 1)
        return Place.at(self.path, self.source or self.text, self.offset + offset, length)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    nullable: bool = True
    temporal: bool = False  # TEMPORAL: values grow with time, so an index led by it has a hot end
    values: int | None = field(default=None, repr=False, kw_only=True)  # how many it can have: ENUM, CHECK IN
    default: str | None = None  # DEFAULT: the text of the value of records that lack the column; None: NULL


@dataclass(frozen=True, slots=True)
class Cardinality:
    """At most `limit` rows for any one value of `columns`; without columns, in the whole table."""

    columns: tuple[str, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class ForeignKey:
    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the user expects of a table before there are statistics."""

    rows: int | None = None
    rate_per_second: float | None = None
    values: tuple[tuple[str, int], ...] = ()  # how many different values a column has


@dataclass(frozen=True, slots=True)
class Retain:
    """RETAIN: what a source keeps; by default every row, and its history as `retention.history` says."""

    current: bool = False  # RETAIN CURRENT: the rows that are, not how they came
    window: timedelta | None = None  # RETAIN INTERVAL ... ON column: only rows that are not older
    column: str = ""
    keep_derived: bool = False  # KEEP DERIVED: what views made of older rows stays


@dataclass(frozen=True, slots=True)
class Watermark:
    """WATERMARK: rows whose column is further behind the greatest one stored come too late."""

    length: timedelta
    column: str


@dataclass(frozen=True, slots=True)
class RetainRows:
    """RETAIN of a view: rows stay as long as the instant that tells their age is not older."""

    length: timedelta
    names: tuple[str, ...] = ()  # ON column, or column.field; else the end of the window that it groups by
    place: Place | None = field(default=None, compare=False, repr=False)
    offset: int = field(default=0, compare=False, repr=False)  # of that place in the file


class Updates(Enum):
    """ON OVERLOAD UPDATES: which keys of an update stream are shown first when a push has too little time."""

    APPEND = "append"  # every change, in order: late rather than chosen
    FIFO = "fifo"  # the key whose newest update is oldest
    INPLACE = "inplace"  # the key that has waited longest
    LINECUT = "linecut"  # keys that are updated rarely, then as INPLACE
    BEST = "best"  # the key for which a refresh is worth most


LEAST_WINDOW = timedelta(microseconds=1)


class WholeWindows(Enum):
    """WINDOWS: which window of a key is shown first, as a whole, where updates are chosen among."""

    LAZY = "lazy"  # the newest that is closed
    EAGER = "eager"  # the newest that has started


@dataclass(frozen=True, slots=True)
class Windowed:
    """A table of which every row of a key is kept, by its time, and whole windows are shown.

    `length`: a multiple of that of every window by which views group; the least instant if there is none.
    """

    semantics: WholeWindows
    column: str  # when a row was
    length: timedelta = LEAST_WINDOW


@dataclass(frozen=True, slots=True)
class RefreshWeight:
    """REFRESH WEIGHT: what a key's staleness matters, by the rows of another table; 1 where it has none."""

    columns: tuple[str, ...]  # of the update key
    table: str
    keys: tuple[str, ...]  # the columns of that table which they equal
    weight: str
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ReadWeight:
    """REFRESH WEIGHT BY READS: what a key's staleness matters, by how often it is read."""

    columns: tuple[str, ...] = ()  # of the update key; none as written: all of it
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A source: a relation whose changes come from outside."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    cardinalities: tuple[Cardinality, ...] = ()
    update_key: tuple[str, ...] = ()
    provider: str = "api"  # USING: api, files, postgres, stream
    options: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold secrets
    site: str = "default"
    expect: Expectation = Expectation()
    warn_on_violation: bool = False  # ON VIOLATION WARN
    retain: Retain = Retain()
    watermark: Watermark | None = None
    updates: Updates = Updates.APPEND  # ON OVERLOAD UPDATES
    weight: RefreshWeight | ReadWeight | None = None
    overload_weight: float = 1.0  # OVERLOAD WEIGHT: of the time that it and others divide under overload
    windows: Windowed | None = None  # WINDOWS LAZY or EAGER
    place: Place | None = None

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def chooses(self) -> bool:
        """Whether views see what is shown of it, which under overload may lag behind what it holds."""
        return self.updates is not Updates.APPEND

    @property
    def row_key(self) -> tuple[str, ...]:
        """Of an update stream: a row replaces the one with the same; with WINDOWS that of its time."""
        return self.update_key if self.windows is None else (*self.update_key, self.windows.column)

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that tell rows apart; empty if only all columns together do."""
        return self.row_key or self.key


class RefreshPolicy(Enum):
    AUTO = "AUTO"
    INCREMENTAL = "INCREMENTAL"
    INCREMENTAL_STRICT = "INCREMENTAL STRICT"
    FULL = "FULL"


@dataclass(frozen=True, slots=True)
class Stream:
    """An input of a window join: its name in FROM, the table, the column that says when a row is."""

    name: str
    table: str
    column: str  # `_captured`: the table has none, and it is when the row was captured
    tolerance: timedelta | None = None  # TOLERANCE: a result made now holds no row that is older
    key: tuple[str, ...] = ()  # of the table


Branch = int | tuple["Branch", "Branch"]  # a tree over positions in FROM


@dataclass(frozen=True, slots=True)
class JoinWindow:
    """WINDOW: all rows of a result lie within `length` of the newest of them; `tolerances` as written."""

    length: timedelta
    tolerances: tuple[tuple[str, timedelta, Place | None], ...] = field(default=(), compare=False)
    streams: tuple[Stream, ...] = ()  # in the order of FROM, once the tables are known
    tree: Branch | None = None  # in which order they are joined, as written
    adapt: bool = False  # ON OVERLOAD ADAPT JOINS: the most results that a push has time for
    retain: timedelta | None = None  # RETAIN: how long results are shown; else as long as they are fresh
    rows: int | None = None  # WINDOW = 1000 ROWS: each was among the last so many; `length` is then zero
    weight: float = 1.0  # OVERLOAD WEIGHT: of the time that it and others divide under overload
    place: Place | None = field(default=None, compare=False)

    @property
    def seconds(self) -> float:
        """The length, for a model of rates. A window of rows does not grow with them: any length will do."""
        return self.length.total_seconds() if self.rows is None else 1.0


@dataclass(frozen=True, slots=True)
class View:
    """A relation kept by Headwater, with the promise that it is never staler than `freshness`."""

    name: str
    sql: SqlText  # the SELECT
    freshness: timedelta
    refresh: RefreshPolicy = RefreshPolicy.AUTO
    penalty: Decimal = Decimal(0)  # dollars per late tuple
    owner: str = ""  # who pays for it; shown as "-" if nobody is named
    site: str = "default"
    allow_cross_join: bool = False
    columns: tuple[str, ...] = ()  # CREATE VIEW v (a, b): names given by hand
    window: JoinWindow | None = None  # WINDOW: what it joins is this close in time; `sql` says so as well
    retain: RetainRows | None = None  # RETAIN: rows that are older leave; `sql` says so once it is resolved
    every_change: bool = False  # REFRESH EVERY CHANGE: it reads update streams themselves, not what is shown
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A parameterised query, read in bounded work."""

    name: str
    sql: SqlText
    place: Place | None = None
    within: timedelta | None = None  # ALLOW UNBOUNDED WITHIN: answered even if it has no bound, so long


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars. The defaults are the paper's prices of a cloud."""

    core_hour: Decimal = Decimal("0.17")
    gb_transfer: Decimal = Decimal("0.01")
    gb_month: Decimal = Decimal("0.11")


@dataclass(frozen=True, slots=True)
class Site:
    """A place with storage, a Spark to run on, a capacity and prices."""

    name: str = "default"
    storage: str = ""
    spark: str = field(default="", repr=False)  # its address may hold a token
    cores: float | None = None
    gb: float | None = None
    prices: Prices = Prices()


class Durability(Enum):
    """What outlasts a power cut: all that was reported as stored, or what the system happened to write."""

    FULL = "full"
    FAST = "fast"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long is kept what nobody needs for keeping the views."""

    history: timedelta = timedelta(0)  # as-of reads of views and sources reach at least this far back
    audit: timedelta = timedelta(days=90)  # pushes and audit: what status and bill are made from
    dead_letters: timedelta = timedelta(days=30)
    reads: timedelta = timedelta(hours=1)  # files that tables no longer use: how long a read may last


@dataclass(frozen=True, slots=True)
class Overload:
    """`overload` in headwater.yml: budgets set by hand. Without, they follow from promises and forecasts."""

    updates_per_second: float | None = None  # keys of each update stream that may be shown, per second
    probes_per_second: float | None = None  # rows that each adapted join may look partners up for, per second
    join_policy: str = "optimal"  # who gets them


@dataclass(frozen=True, slots=True)
class Weaving:
    """How aggregates share partial results: by which optimizer ("off": not at all), with which aim."""

    optimizer: str = "best"
    objective: str = "total"
    always: bool = False  # also where a shared stage is expected to cost more than it saves


@dataclass(frozen=True, slots=True)
class Project:
    name: str
    folder: str
    storage: str
    tables: Mapping[str, Table]
    views: Mapping[str, View]  # in dependency order: a view comes after the views it reads
    queries: Mapping[str, Query]
    sites: Mapping[str, Site]
    prices: Prices = Prices()
    retention: Retention = Retention()
    overload: Overload = Overload()
    spark_master: str = field(default="local[*]", repr=False)  # may hold a token
    spark_config: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold secrets
    durability: Durability = Durability.FULL
    store: str = field(default="", repr=False)  # where queries are answered from; "": in the warehouse
    weaving: Weaving = Weaving()
    replans: bool = False  # a run takes a new plan by itself, once that saves enough
    explained: tuple[View, ...] = ()  # EXPLAIN CREATE MATERIALIZED VIEW: asked about, not kept

    def masters(self) -> dict[str, str]:
        """The master of each site's Spark; "default" is always among them."""
        sites: dict[str, Site] = {"default": Site(), **self.sites}
        return {name: site.spark or self.spark_master for name, site in sites.items()}
