"""The queue on Arrow batches: the same order as row by row, save and load, bounded rows; memory pages."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.overload.updates import AppendQueue, UpdateQueue
from headwater.overload.updates.queue.blocks import BlockChain, BlockMemory
from headwater.overload.updates.queue.cells import KeyIndex
from headwater.overload.updates.queue.memory import OnDemandPages
from headwater.overload.updates.queue.rows import NewestRows
from support.cases import law

SCHEMA = pa.schema([("key", pa.string()), ("value", pa.int64())])
EXAMPLES = law(80)
POLICIES = ("fifo", "inplace", "linecut", "best")


def batch(rows: list[tuple[str, int]]) -> pa.RecordBatch:
    return pa.record_batch(
        [pa.array([k for k, _ in rows]), pa.array([v for _, v in rows], pa.int64())], schema=SCHEMA
    )


def pairs(table: pa.Table) -> list[tuple[str, int]]:
    return list(zip(table["key"].to_pylist(), table["value"].to_pylist(), strict=True))


def test_figure_6_of_the_paper() -> None:
    """IBM1, then others, then IBM2: FIFO sends IBM to the tail, IN-PLACE puts IBM2 in IBM1's place."""
    rows = [("IBM", 1), ("GOOG", 1), ("MSFT", 1), ("IBM", 2)]
    fifo, inplace = UpdateQueue(SCHEMA, "key", "fifo"), UpdateQueue(SCHEMA, "key", "inplace")
    fifo.enqueue(batch(rows), np.arange(4.0))
    inplace.enqueue(batch(rows), np.arange(4.0))
    assert pairs(fifo.dequeue(9, 4.0)) == [("GOOG", 1), ("MSFT", 1), ("IBM", 2)]
    assert pairs(inplace.dequeue(9, 4.0)) == [("IBM", 2), ("GOOG", 1), ("MSFT", 1)]
    assert (inplace.enqueued, inplace.skipped, inplace.dequeued) == (4, 1, 3)


updates = st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 99)), min_size=1, max_size=40)


@EXAMPLES
@given(updates, st.integers(1, 9), st.sampled_from(["fifo", "inplace"]))
def test_batches_are_served_as_single_rows_are(rows: list[tuple[str, int]], size: int, policy: str) -> None:
    batched, single = UpdateQueue(SCHEMA, "key", policy), UpdateQueue(SCHEMA, "key", policy)
    for begin in range(0, len(rows), size):
        part = rows[begin : begin + size]
        batched.enqueue(batch(part), np.arange(begin, begin + len(part), dtype=float))
        for number, row in enumerate(part, begin):
            single.enqueue(batch([row]), float(number))
        assert pairs(batched.dequeue(2, begin + size)) == pairs(single.dequeue(1, 0.0)) + pairs(
            single.dequeue(1, 0.0)
        )
    assert pairs(batched.dequeue(99, 99.0)) == pairs(single.dequeue(99, 99.0))


@EXAMPLES
@given(updates, st.sampled_from(POLICIES), st.integers(0, 5))
def test_the_newest_value_of_every_key_comes_out_once(
    rows: list[tuple[str, int]], policy: str, early: int
) -> None:
    queue = UpdateQueue(SCHEMA, "key", policy, cost=0.5)
    queue.enqueue(batch(rows), np.arange(len(rows), dtype=float))
    out = pairs(queue.dequeue(early, 50.0)) + pairs(queue.dequeue(99, 51.0))
    assert len(out) == len(dict(out))
    assert dict(out) == dict(rows)
    assert len(queue) == 0
    assert queue.staleness(60.0) == 0.0


@EXAMPLES
@given(updates, updates, st.sampled_from(POLICIES), st.integers(0, 4))
def test_a_loaded_queue_goes_on_as_the_saved_one_would(
    before: list[tuple[str, int]], after: list[tuple[str, int]], policy: str, taken: int
) -> None:
    queue = UpdateQueue(SCHEMA, "key", policy, cost=0.5)
    queue.set_weight("c", 3.0)
    queue.enqueue(batch(before), np.arange(len(before), dtype=float))
    queue.dequeue(taken, 40.0)
    loaded = UpdateQueue.load(queue.save())
    for restored in (queue, loaded):
        restored.enqueue(batch(after), 41.0 + np.arange(len(after)))
    for now in range(90, 100):
        assert pairs(loaded.dequeue(1, float(now))) == pairs(queue.dequeue(1, float(now)))
    assert (loaded.enqueued, loaded.skipped, loaded.dequeued) == (
        queue.enqueued,
        queue.skipped,
        queue.dequeued,
    )


def test_a_saved_queue_survives_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    import pyarrow.feather as feather

    queue = UpdateQueue(SCHEMA, "key", "best", cost=0.1)
    queue.enqueue(batch([("a", 1), ("b", 2), ("a", 3)]), np.array([0.0, 1.0, 2.0]))
    feather.write_feather(queue.save(), str(tmp_path / "queue.arrow"))
    loaded = UpdateQueue.load(feather.read_table(str(tmp_path / "queue.arrow")))
    assert sorted(pairs(loaded.dequeue(5, 3.0))) == [("a", 3), ("b", 2)]
    with pytest.raises(InputError, match="not a saved"):
        UpdateQueue.load(pa.table({"x": [1]}))


def test_a_key_that_is_no_column() -> None:
    with pytest.raises(InputError, match="not a column"):
        UpdateQueue(SCHEMA, "symbol")


def test_rows_stay_in_proportion_to_the_keys() -> None:
    rows = NewestRows(SCHEMA, smallest=16)
    keys = np.arange(10)
    for value in range(100):
        rows.put(keys, batch([(str(key), value) for key in keys]))
        assert rows.stored <= 2 * 10 + 10
    assert pairs(rows.take(np.array([3, 7]))) == [("3", 99), ("7", 99)]
    assert len(rows) == 8


def test_the_append_queue_keeps_order_and_can_shed() -> None:
    queue = AppendQueue(SCHEMA)
    queue.enqueue(batch([("a", 1), ("b", 2), ("a", 3)]))
    queue.enqueue(batch([("c", 4)]))
    assert pairs(queue.dequeue(2)) == [("a", 1), ("b", 2)]
    assert pairs(AppendQueue.load(queue.save()).dequeue(9)) == [("a", 3), ("c", 4)]
    shedding = AppendQueue(SCHEMA, keep=0.25, seed=1)
    assert shedding.enqueue(batch([("a", n) for n in range(4000)])) == pytest.approx(3000, abs=120)


@EXAMPLES
@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=6))
def test_key_numbers_are_stable(batches: list[list[int]]) -> None:
    index = KeyIndex()
    seen: dict[int, int] = {}
    for values in batches:
        numbers = index.encode(pa.array(values, pa.int64())).tolist()
        for value, number in zip(values, numbers, strict=True):
            assert seen.setdefault(value, number) == number
    assert sorted(seen.values()) == list(range(len(index)))


@EXAMPLES
@given(st.lists(st.integers(0, 9), max_size=80))
def test_pages_are_filled_before_new_ones_and_given_back_when_empty(actions: list[int]) -> None:
    """An even number adds a tuple, an odd one releases one of those held."""
    pages, held = OnDemandPages(page_locations=4), []
    for at, action in enumerate(actions):
        if action % 2 == 0:
            pages_before, holes = pages.meter.pages, pages.meter.pages * 4 - len(held)
            location = pages.add(float(at))
            assert location not in held
            assert pages.meter.pages == pages_before + (holes == 0)
            held.append(location)
        elif held:
            pages.release(held.pop(action % len(held)), float(at))
        assert pages.meter.pages == len({location // 4 for location in held})


def test_effective_use_is_tuples_over_locations() -> None:
    pages = OnDemandPages(page_locations=2, page_bytes=128)
    first = pages.add(0.0)
    pages.release(first, 4.0)
    use = pages.use(8.0, held_area=4.0)
    assert (use.pages_peak, use.bytes_peak, use.effective_use, use.pages_mean) == (1, 128, 0.5, 0.5)


def test_a_chain_gives_blocks_back_as_tuples_leave() -> None:
    memory = BlockMemory(block_tuples=4)
    chain = BlockChain(memory)
    for at in range(10):
        chain.append(float(at), float(at))
    assert memory.held == 10
    chain.drop_before(9.0, 10.0)
    assert list(chain.tuples) == [9.0]
    chain.drop_before(100.0, 11.0)
    assert memory.held == 0
    assert memory.pages.meter.pages == 0
