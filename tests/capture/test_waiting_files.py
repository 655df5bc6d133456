"""A file that cannot be read just now waits and is tried again; only wrong content becomes a dead letter."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.files import folder as folder_module
from headwater.capture.files.folder import FileCapture
from headwater.capture.files.ledger import Ledger
from headwater.clock import ManualClock
from headwater.model import Column, Table
from headwater.storage.delta import delta_log
from headwater.storage.warehouse import Warehouse
from support.capture import dead_letters, rows_of

TABLE = Table(
    "t", (Column("id", "int", nullable=False),), key=("id",), provider="files",
    options={"path": "in", "format": "jsonl", "settle": "0"},
)  # fmt: skip


@pytest.fixture
def files(warehouse: Warehouse, clock: ManualClock, tmp_path: Path) -> FileCapture:
    (tmp_path / "in").mkdir()
    return FileCapture(warehouse, TABLE, clock, str(tmp_path))


def ids(warehouse: Warehouse) -> list[int]:
    return sorted(row[0] for row in rows_of(warehouse, "t").elements())


def put(tmp_path: Path, name: str, number: int) -> Path:
    path = tmp_path / "in" / f"{name}.jsonl"
    path.write_text(f'{{"id": {number}}}\n')
    return path


class Failing:
    """Reads files as usual, but for those named here."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **failures: OSError) -> None:
        self.failures, self.reads = failures, list[str]()
        self._real = folder_module.read_content
        monkeypatch.setattr(folder_module, "read_content", self)

    def __call__(self, path: str) -> Any:
        name = Path(path).stem
        self.reads.append(name)
        if name in self.failures:
            raise self.failures[name]
        return self._real(path)


def test_an_input_error_of_the_disk_is_no_dead_letter(
    files: FileCapture, warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    broken = tmp_path / "in" / "a.jsonl"
    broken.symlink_to("/proc/self/mem")  # reading its first byte fails with EIO
    put(tmp_path, "b", 2)
    polled = files.poll()
    assert (polled.changes, polled.behind) == (1, False)
    [waiting] = polled.waiting
    assert (waiting.file, waiting.reason) == (str(broken), os.strerror(errno.EIO))
    assert polled.error is None
    assert dead_letters(warehouse) == []
    broken.unlink()
    put(tmp_path, "a", 1)
    clock.advance(timedelta(minutes=1))
    polled = files.poll()
    assert (polled.changes, polled.waiting) == (1, ())
    assert ids(warehouse) == [1, 2]
    assert dead_letters(warehouse) == []


@pytest.mark.parametrize("kind", [PermissionError, TimeoutError, OSError])
def test_it_is_tried_again_ever_more_rarely(
    files: FileCapture,
    warehouse: Warehouse,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[OSError],
) -> None:
    failing = Failing(monkeypatch, a=kind(errno.EACCES, "Permission denied"))
    put(tmp_path, "a", 1)
    for _ in range(300):
        clock.advance(timedelta(seconds=1))
        polled = files.poll()
        assert [waiting.file for waiting in polled.waiting] == [str(tmp_path / "in" / "a.jsonl")]
    assert 8 < len(failing.reads) < 20
    assert polled.waiting[0].failures == len(failing.reads)
    failing.failures.clear()
    clock.advance(timedelta(minutes=1))
    assert files.poll().waiting == ()
    assert ids(warehouse) == [1]
    assert dead_letters(warehouse) == []


def test_a_file_that_disappears_is_read_when_it_comes_back(
    files: FileCapture,
    warehouse: Warehouse,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing = Failing(monkeypatch, a=FileNotFoundError(errno.ENOENT, "No such file"))
    put(tmp_path, "a", 1).unlink()
    monkeypatch.setattr(FileCapture, "_names", lambda self: ["a.jsonl"])
    assert files.poll().changes == 0
    failing.failures.clear()
    put(tmp_path, "a", 1)
    clock.advance(timedelta(minutes=1))
    assert files.poll().changes == 1
    assert dead_letters(warehouse) == []


def test_a_file_that_changes_while_it_is_read_is_not_taken_yet(
    files: FileCapture,
    warehouse: Warehouse,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = put(tmp_path, "a", 1)
    real = folder_module.read_content

    def grows(name: str) -> Any:
        path.write_text('{"id": 1}\n{"id": 2}\n')
        monkeypatch.setattr(folder_module, "read_content", real)
        return real(name)

    monkeypatch.setattr(folder_module, "read_content", grows)
    polled = files.poll()
    assert (polled.changes, polled.behind) == (0, True)
    assert files.poll().changes == 2
    assert ids(warehouse) == [1, 2]
    assert dead_letters(warehouse) == []


def test_a_full_disk_while_storing_loses_and_doubles_nothing(
    files: FileCapture,
    warehouse: Warehouse,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "in" / "a.jsonl"
    path.write_text('{"id": 1}\nwrong\n')
    real, calls = delta_log.write_commit, list[str]()

    def full(table: str, *rest: Any, **more: Any) -> bool:
        calls.append(table)
        if len(calls) in (1, 3, 5):  # the ledger, the dead letters, the table
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(table, *rest, **more)

    monkeypatch.setattr(delta_log, "write_commit", full)
    errors = []
    for _ in range(6):
        polled = files.poll()
        errors.append(polled.error.code if polled.error else "")
        clock.advance(timedelta(minutes=1))
    assert errors.count("HW860") == 3
    assert errors[-1] == ""
    assert ids(warehouse) == [1]
    assert [letter["line"] for letter in dead_letters(warehouse)] == [2]


def test_a_numbered_file_that_cannot_be_read_holds_those_behind_it(
    files: FileCapture,
    warehouse: Warehouse,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run was killed after it had numbered two files."""
    for name, number in (("a", 1), ("b", 2), ("c", 3)):
        put(tmp_path, name, number)
    status = [(f"{name}.jsonl", *_stat(tmp_path / "in" / f"{name}.jsonl")) for name in ("a", "b")]
    Ledger(warehouse, "t", clock).take(status)
    failing = Failing(monkeypatch, a=OSError(errno.EIO, "Input/output error"))
    polled = files.poll()
    assert (polled.changes, [Path(waiting.file).name for waiting in polled.waiting]) == (0, ["a.jsonl"])
    assert polled.behind is False
    failing.failures.clear()
    clock.advance(timedelta(minutes=1))
    assert files.poll().changes == 3
    assert files.poll().changes == 0
    assert ids(warehouse) == [1, 2, 3]
    assert dead_letters(warehouse) == []


def _stat(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def test_a_cut_parquet_file_is_wrong_content(
    warehouse: Warehouse, clock: ManualClock, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    table = Table("t", TABLE.columns, provider="files", options={**TABLE.options, "format": "parquet"})
    (tmp_path / "in" / "a.parquet").write_bytes(b"PAR1" + b"\0" * 40 + b"PAR1")
    polled = FileCapture(warehouse, table, clock, str(tmp_path)).poll()
    assert polled.waiting == ()
    assert [letter["line"] for letter in dead_letters(warehouse)] == [0]


def test_a_name_that_is_not_utf8_waits_and_the_others_go_on(
    files: FileCapture, warehouse: Warehouse, tmp_path: Path
) -> None:
    odd = os.fsencode(tmp_path) + b"/in/odd\xff.jsonl"
    with open(odd, "w") as file:
        file.write('{"id": 1}\n')
    put(tmp_path, "b", 2)
    polled = files.poll()
    [waiting] = polled.waiting
    assert "rename it" in waiting.reason
    waiting.file.encode()
    assert ids(warehouse) == [2]
    os.rename(odd, tmp_path / "in" / "odd.jsonl")
    assert (files.poll().waiting, ids(warehouse)) == ((), [1, 2])


@pytest.mark.parametrize(
    "record", ['{"id": 1, "\\ud800": 1}', '{"op": "\\ud800", "row": {"id": 1}}', '"\\ud800"']
)
def test_half_a_surrogate_pair_is_a_dead_letter_like_any_other(
    files: FileCapture, warehouse: Warehouse, tmp_path: Path, record: str
) -> None:
    (tmp_path / "in" / "a.jsonl").write_text(f'{record}\n{{"id": 2}}\n')
    assert files.poll().error is None
    assert ids(warehouse) == [2]
    assert len(dead_letters(warehouse)) == 1
