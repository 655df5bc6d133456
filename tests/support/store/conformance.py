"""What any store must do: get, put and delete, ranges in order, transactions, snapshots, parts and times."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from operator import itemgetter
from typing import Any

import pytest

from headwater.algebra.expressions.tree import Column, call
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.plans.store import Interval, RangeRead
from headwater.serve.store.layout import index_id
from headwater.serve.store.protocol import KeptStore, StoredIndex, StoredTable

KINDS: dict[str, Callable[[random.Random], Any]] = {
    "int": lambda r: r.choice([0, 1, -1, 7, 10, 100, -100, 2**62, -(2**63), r.randint(-50, 50)]),
    "decimal": lambda r: Decimal(r.randint(-5000, 5000)).scaleb(-r.randint(0, 3)),
    "double": lambda r: r.choice([0.0, -0.5, 1e-300, 1e300, -math.inf, math.inf, r.uniform(-3, 3), 0.1]),
    "string": lambda r: "".join(r.choice("ab\0ÿ𝄞z ") for _ in range(r.randint(0, 4))),
    "boolean": lambda r: r.random() < 0.5,
    "date": lambda r: date(1970, 1, 1) + timedelta(days=r.randint(-40000, 40000)),
    "timestamp": lambda r: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=r.randint(-(10**15), 10**15)),
    "binary": lambda r: bytes(r.choice([0, 1, 255, 254, 65]) for _ in range(r.randint(0, 4))),
}  # fmt: skip


def value(kind: str, r: random.Random) -> Any:
    return None if r.random() < 0.15 else KINDS[kind](r)


TABLE = StoredTable("t_1", "t", ("id", "a", "b", "s"), ("id",))


def index_of(*parts: IndexPart, where: tuple[Any, ...] = (), include: tuple[str, ...] = ()) -> StoredIndex:
    index = Index("t", parts, include, where)
    held = tuple(dict.fromkeys((*(p.expr.name for p in parts if isinstance(p.expr, Column)), "id", *include)))
    return StoredIndex(index_id(index, "t_1"), "t_1", index, held)


INDEXES = (
    index_of(IndexPart(Column("a")), IndexPart(Column("b"), descending=True, nulls_first=False)),
    index_of(IndexPart(Column("b"), nulls_first=False), include=("s",)),
    index_of(IndexPart(call("token", Column("s"))), IndexPart(Column("a"), descending=True)),
    index_of(IndexPart(Column("a")), where=(call("not_null", Column("s")),)),
)


def made(store: KeptStore) -> KeptStore:
    store.know([TABLE, *INDEXES])
    with store.transaction() as writing:
        for part in (TABLE, *INDEXES):
            writing.create(part)
        writing.mark_ready([TABLE.id, *(index.id for index in INDEXES)])
    return store


def row(number: int, a: Any = None, b: Any = None, s: Any = None) -> dict[str, Any]:
    return {"id": number, "a": a, "b": b, "s": s}


def a_row_is_got_put_and_deleted(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(1, 5))
        writing.put("t_1", row(1, 6))
        assert writing.get("t_1", (1,)) == row(1, 6)
        assert not writing.delete("t_1", row(2))
        assert writing.delete("t_1", row(1))
        writing.put("t_1", row(3, 7))
    with store.snapshot() as snapshot:
        assert snapshot.multi_get("t_1", [(3,), (1,)]) == [row(3, 7), None]
        assert [entry["id"] for entry in snapshot.scan(RangeRead(INDEXES[0].index, (6,), table="t_1"))] == []
        assert [entry["id"] for entry in snapshot.scan(RangeRead(INDEXES[0].index, (7,), table="t_1"))] == [3]


def a_transaction_is_all_or_nothing(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(1))
        writing.set_times({"t": 10, "u": 10})
    with pytest.raises(ZeroDivisionError):
        _fail_inside(store)
    with store.transaction() as writing:
        writing.set_times({"u": None})
    with store.snapshot() as snapshot:
        assert (snapshot.get("t_1", (1,)), snapshot.get("t_1", (2,))) == (row(1), None)
        assert snapshot.times() == {"t": 10}


def _fail_inside(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(2))
        writing.set_times({"t": 20})
        raise ZeroDivisionError


def a_snapshot_does_not_move(store: KeptStore) -> None:
    with store.transaction() as writing:
        writing.put("t_1", row(1))
        writing.set_times({"t": 1})
    with store.snapshot() as snapshot:
        assert snapshot.times() == {"t": 1}
        with store.transaction() as writing:
            writing.put("t_1", row(2))
            writing.set_times({"t": 2})
        assert (snapshot.get("t_1", (2,)), snapshot.times()) == (None, {"t": 1})
    assert store.times() == {"t": 2}


def parts_come_are_filled_and_go(store: KeptStore) -> None:
    late = index_of(IndexPart(Column("s")), include=("b",))
    with store.transaction() as writing:
        writing.put("t_1", row(1, s="x", b=4))
    with store.transaction() as writing:
        writing.create(late)
        rows = [entry for _, entry in writing.rows("t_1")]
    with store.filling(late.id) as filling:
        filling.add(rows)
    with store.transaction() as writing:
        assert late.id not in writing.ready()
        writing.mark_ready([late.id])
    with store.snapshot() as snapshot:
        assert late.id in snapshot.ready()
        assert snapshot.scan(RangeRead(late.index, ("x",), table="t_1")) == [{"s": "x", "id": 1, "b": 4}]
    with store.transaction() as writing:
        writing.drop(late.id)
    assert late.id not in store.parts()


def what_is_filled_is_what_is_put(store: KeptStore) -> None:
    """Rows of all kinds in any order, some of them twice: the same records, by whichever way they came."""
    r = random.Random(3)
    rows = [
        row(r.randint(1, 40), value(kind, r), value(kind, r), words(r)) for kind in KINDS for _ in range(12)
    ]
    copies = [replace(index, id=index_id(index.index, "t_2"), table="t_2") for index in INDEXES]
    store.know([replace(TABLE, id="t_2"), *copies])
    with store.transaction() as writing:
        for part in (replace(TABLE, id="t_2"), *copies):
            writing.create(part)
        for number, put in enumerate(rows):
            writing.put("t_1", put) if number % 2 else writing.put_many("t_1", [put])
    with store.filling("t_2") as filling:
        for first in range(0, len(rows), 7):
            filling.add(rows[first : first + 7])
    with store.snapshot() as snapshot:
        kept = [entry for _, entry in snapshot.rows("t_2")]
    r.shuffle(kept)
    for index in copies:
        with store.filling(index.id) as filling:
            filling.add(kept[:9])
            filling.add(kept[9:])
    with store.snapshot() as snapshot:
        assert len(kept) > 20
        assert list(snapshot.rows("t_2")) == list(snapshot.rows("t_1"))
        for index, copy in zip(INDEXES, copies, strict=True):
            assert sorted_entries(snapshot.entries(copy.id)) == sorted_entries(snapshot.entries(index.id))


def words(r: random.Random) -> str | None:
    return r.choice([None, "a b", "b", "", "c a b"])


def sorted_entries(entries: Iterable[tuple[bytes, Any]]) -> list[tuple[bytes, Any]]:
    return sorted(entries, key=itemgetter(0))


CHECKS = (
    what_is_filled_is_what_is_put,
    a_row_is_got_put_and_deleted,
    a_transaction_is_all_or_nothing,
    a_snapshot_does_not_move,
    parts_come_are_filled_and_go,
)


def same_scans(stores: Sequence[KeptStore], seed: int) -> None:
    """After the same random changes, stores give the same answers to random ranges."""
    r = random.Random(seed)
    kind = r.choice(["int", "decimal", "double", "string", "date"])
    for _ in range(150):
        changed = row(
            r.randint(0, 60), r.choice([None, 1, 2, 3]), value(kind, r), r.choice([None, "a b", "B c", ""])
        )
        deleting = r.random() < 0.3
        for store in stores:
            with store.transaction() as writing:
                _ = writing.delete("t_1", changed) if deleting else writing.put("t_1", changed)
    for _ in range(120):
        index = r.choice(
            [*(stored.index for stored in INDEXES), Index("t", (IndexPart(Column("id")),), primary=True)]
        )
        prefix = _prefix(r, index, kind)
        interval, after = _range(r, index, prefix, kind)
        asked = RangeRead(index, prefix, interval, r.random() < 0.4, r.choice([None, 1, 3]), after, "t_1")
        answers = []
        for store in stores:
            with store.snapshot() as snapshot:
                answers.append(list(snapshot.scan(asked)))
        assert answers[0] == answers[1], asked


def _of_part(r: random.Random, index: Index, position: int, kind: str) -> Any:
    expr = index.parts[position].expr
    name = expr.name if isinstance(expr, Column) else "word"
    choices = {
        "a": lambda: r.choice([1, 2, 3]),
        "id": lambda: r.randint(0, 60),
        "word": lambda: r.choice("abc"),
    }
    return choices.get(name, lambda: KINDS[kind](r))()


def _prefix(r: random.Random, index: Index, kind: str) -> tuple[Any, ...]:
    length = r.randint(0, len(index.parts))
    return tuple(_of_part(r, index, position, kind) for position in range(length))


def _range(r: random.Random, index: Index, prefix: tuple[Any, ...], kind: str) -> tuple[Interval | None, Any]:
    if len(prefix) >= len(index.parts):
        return None, ...
    edges = sorted(_of_part(r, index, len(prefix), kind) for _ in range(2))
    interval = r.choice([None, Interval(), Interval(edges[0], r.random() < 0.5, edges[1], r.random() < 0.5),
                         Interval(low=edges[0]), Interval(high=edges[1], high_open=True)])  # fmt: skip
    return interval, r.choice([..., ..., edges[0]])
