"""What is stored stays near what is there, whatever the updates; and a row is not written again and again."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from headwater.engine.upkeep.merges import LEAST_ROWS, MANY_FILES, SMALL_ROWS, FileFacts, choose_merges
from headwater.storage.delta.data_files import DataFile
from support.cases import scaled

Row = tuple[int, int]  # a key and its version
Changes = Counter[Row]
Updates = Callable[[random.Random, int], Iterator[int]]  # the keys that a push updates


@dataclass
class Stored:
    """Files as Z-sets, merged as the decision says; `weight` rows stand for each of them."""

    weight: int = 1
    files: dict[str, Changes] = field(default_factory=dict)
    changed: int = 0
    written: int = 0
    _names: Iterator[int] = field(default_factory=itertools.count)

    def push(self, changes: Changes) -> None:
        self.changed += len(changes)
        self._write(changes)

    def _write(self, changes: Changes) -> None:
        self.written += len(changes)
        self.files[str(next(self._names))] = changes

    def compact(self) -> None:
        while merges := choose_merges([self._facts(name) for name in self.files]):
            for merge in merges:
                total: Changes = Counter()
                for file in merge.files:
                    for row, weight in self.files.pop(file.relative).items():
                        total[row] += weight
                self._write(Counter({row: weight for row, weight in total.items() if weight}))

    def rows(self) -> int:
        return self.weight * sum(map(len, self.files.values()))

    def live(self) -> int:
        total: Changes = Counter()
        for changes in self.files.values():
            for row, weight in changes.items():
                total[row] += weight
        return self.weight * sum(1 for weight in total.values() if weight)

    def _facts(self, name: str) -> FileFacts:
        changes = self.files[name]
        keys = [key for key, _ in changes] or [0]
        rows = len(changes) * self.weight
        file = DataFile(name, name, rows, rows * 10, {"k": min(keys)}, {"k": max(keys)}, {"k": 0})
        return FileFacts(file, sum(weight < 0 for weight in changes.values()) * self.weight)


def run(stored: Stored, pushes: int, rows: int, updates: Updates, seed: int) -> Iterator[Stored]:
    """A table of `rows` keys; every push updates some of them, and compaction looks after each."""
    chance = random.Random(seed)
    versions = dict.fromkeys(range(rows), 0)
    stored.push(Counter({(key, 0): 1 for key in versions}))
    for _ in range(pushes):
        changes: Changes = Counter()
        for key in set(updates(chance, rows)):
            changes[key, versions[key]] -= 1
            versions[key] += 1
            changes[key, versions[key]] += 1
        stored.push(changes)
        stored.compact()
        yield stored


WORKLOADS: dict[str, Updates] = {
    "random": lambda chance, rows: (chance.randrange(rows) for _ in range(rows // 5)),
    "a few of them": lambda chance, rows: (chance.randrange(rows // 20) for _ in range(rows // 50)),
    "single rows": lambda chance, rows: iter([chance.randrange(rows)]),
    "bursts": lambda chance, rows: (
        chance.randrange(rows) for _ in range(rows if chance.random() < 0.05 else 3)
    ),
    "the newest": lambda chance, rows: (rows - 1 - min(int(chance.expovariate(0.1)), 90) for _ in range(20)),
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_twice_the_live_rows_at_most(name: str) -> None:
    pushes = scaled(2_000)
    for rows, weight in ((100, 1_000), (100, 20_000)):
        for stored in run(Stored(weight), pushes, rows, WORKLOADS[name], seed=rows + weight):
            assert stored.rows() <= 2 * stored.live() + LEAST_ROWS, name
            assert len(stored.files) < 2 * MANY_FILES + 1


@pytest.mark.parametrize("name", ["random", "a few of them", "bursts"])
def test_a_change_is_written_a_bounded_number_of_times(name: str) -> None:
    stored = Stored(weight=1_000)
    for _ in run(stored, scaled(2_000), 100, WORKLOADS[name], seed=1):
        pass
    assert stored.written < 8 * stored.changed


def facts(name: str, rows: int, deletes: int, low: int = 0, high: int = 9) -> FileFacts:
    return FileFacts(DataFile(name, name, rows, rows, {"k": low}, {"k": high}, {"k": 0}), deletes)


def names(files: list[FileFacts], many: int = MANY_FILES, spark: bool = True) -> set[str]:
    return {file.relative for merge in choose_merges(files, many, spark) for file in merge.files}


def test_what_cannot_hold_a_deleted_row_is_left_alone() -> None:
    """Updates of recent rows of a table that grows: the old ones are not written again."""
    old = [facts(f"old{number}", 90_000, 0, number, number) for number in range(10)]
    recent = [facts("inserts", 60_000, 0, 50, 60), facts("updates", 50_000, 25_000, 55, 70)]
    assert names([*old, *recent]) == {"inserts", "updates"}


def test_without_ranges_everything_may_cancel() -> None:
    files = [facts("a", 30_000, 0), facts("b", 30_000, 15_000), facts("c", 20_000, 0, 80, 90)]
    assert names(files) == {"a", "b"}
    unknown = FileFacts(DataFile("b", "b", 30_000, 1, {}, {}, {}), 15_000)
    assert names([files[0], unknown, files[2]]) == {"a", "b", "c"}


def test_nulls_and_nan_are_outside_of_ranges() -> None:
    plain = facts("a", 30_000, 0, 80, 90)
    with_nulls = FileFacts(DataFile("b", "b", 30_000, 1, {"k": 0}, {"k": 9}, {"k": 5}), 15_000)
    assert names([plain, with_nulls]) == {"a", "b"}
    floats = FileFacts(DataFile("b", "b", 30_000, 1, {"k": 0.0}, {"k": 9.0}, {"k": 0}), 15_000)
    assert names([plain, floats]) == {"a", "b"}


def test_deletes_that_met_no_insert_are_not_merged_for_ever() -> None:
    """A file whose deletes found nothing is not read again for every small file that comes."""
    assert names([facts("deletes", 60_000, 50_000), facts("new", 100, 0)]) == set()
    assert names([facts("deletes", 60_000, 60_000)]) == set()


def test_large_merges_are_sparks() -> None:
    files = [facts("base", 5_000_000, 0), facts("updates", 3_000_000, 1_500_000)]
    (merge,) = choose_merges(files)
    assert merge.large
    assert choose_merges(files, spark=False) == []


def test_updates_that_are_always_worth_a_merge_leave_small_files_their_turn() -> None:
    """A few rows updated all the time, beside new rows that come one by one."""
    updates = [facts(f"update{number}", 5_000, 2_500, 0, 300) for number in range(3)]
    added = [facts(f"added{number}", 1, 0, 400 + number, 400 + number) for number in range(MANY_FILES)]
    first, second = choose_merges([*updates, *added])
    assert {file.relative for file in first.files} == {file.file.relative for file in updates}
    assert {file.relative for file in second.files} == {file.file.relative for file in added}


def test_large_files_without_deletes_stay() -> None:
    large = [facts(f"large{number}", SMALL_ROWS, 0) for number in range(2 * MANY_FILES)]
    assert names(large) == set()
    small = [facts(f"small{number}", 10, 0) for number in range(MANY_FILES)]
    assert names([*large, *small]) == {file.file.relative for file in small}
