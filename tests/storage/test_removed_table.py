"""A table that another process removes, or makes again under the same name, while this one has it open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from headwater.errors import HeadwaterError
from headwater.storage.delta.delta_log import BEGINNING
from headwater.storage.timeline import Timeline

COLUMNS = pa.schema([("k", pa.int64())])


def made(folder: Path, *keys: int) -> Timeline:
    timeline = Timeline(str(folder / "t"))
    timeline.create(COLUMNS)
    for number, key in enumerate(keys, start=1):
        changes = pa.table({"k": [key], "_weight": pa.array([1], pa.int64())})
        timeline.append(changes, number * 10)
    return timeline


def keys_of(timeline: Timeline) -> list[int]:
    return sorted(timeline.read(timeline.as_of(timeline.time())).column("k").to_pylist())


def test_a_removed_table_is_empty_for_those_who_had_it_open(tmp_path: Path) -> None:
    made(tmp_path, 1, 2)
    reader = Timeline(str(tmp_path / "t"))
    assert keys_of(reader) == [1, 2]
    shutil.rmtree(tmp_path / "t")
    assert reader.time() == BEGINNING
    assert reader.snapshot().files == ()
    assert not reader.exists()


def test_nothing_is_written_to_a_removed_table(tmp_path: Path) -> None:
    writer = made(tmp_path, 1)
    file = writer.write(pa.table({"k": [2], "_weight": pa.array([1], pa.int64())}), 20)
    shutil.rmtree(tmp_path / "t")
    with pytest.raises(HeadwaterError, match="there is no Delta table"):
        writer.commit(20, [file])
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("later", [(7,), (7, 8), (7, 8, 9, 10)], ids=["shorter", "as long", "longer"])
def test_a_table_made_again_is_not_mixed_with_the_old_one(tmp_path: Path, later: tuple[int, ...]) -> None:
    """Its log may be longer by then: following it from the old version would add new files to old ones."""
    made(tmp_path, 1, 2)
    reader = Timeline(str(tmp_path / "t"))
    assert keys_of(reader) == [1, 2]
    shutil.rmtree(tmp_path / "t")
    made(tmp_path, *later)
    assert keys_of(reader) == list(later)
