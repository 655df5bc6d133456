"""One run at a time, and whoever only looks keeps none from starting."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from headwater.errors import InputError
from headwater.storage.records import run_lock as module
from headwater.storage.records.run_lock import run_lock, running


def test_the_second_run_is_refused_and_told_of_the_first(tmp_path: Path) -> None:
    with (
        run_lock(str(tmp_path), 0),
        pytest.raises(InputError, match="another run") as refused,
        run_lock(str(tmp_path), 1),
    ):
        pytest.fail("two runs")
    assert str(os.getpid()) in (refused.value.detail or "")
    assert running(str(tmp_path)) is None


def test_whoever_looks_at_the_moment_of_a_start_does_not_keep_it_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    descriptor = os.open(tmp_path / "run.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_SH)  # as `running` does
    waited = threading.Event()

    def pause(_: float) -> None:
        waited.set()
        os.close(descriptor)

    monkeypatch.setattr(module.time, "sleep", pause)
    with run_lock(str(tmp_path), 0):
        assert waited.is_set()
        assert running(str(tmp_path)) is not None


def test_a_lock_whose_file_was_removed_is_made_again(tmp_path: Path) -> None:
    """By somebody who took it for left behind; a second run began, and both kept the project."""
    with run_lock(str(tmp_path), 0) as lock:
        lock.keep(1)
        (tmp_path / "run.lock").unlink()
        assert running(str(tmp_path)) is None
        lock.keep(2)
        assert (running(str(tmp_path)) or {})["pid"] == os.getpid()
        with pytest.raises(InputError, match="another run"), run_lock(str(tmp_path), 3):
            pytest.fail("two runs")
    assert running(str(tmp_path)) is None


def test_who_finds_another_run_with_the_lock_gives_up(tmp_path: Path) -> None:
    with run_lock(str(tmp_path), 0) as first:
        (tmp_path / "run.lock").unlink()
        with run_lock(str(tmp_path), 1) as second:
            with pytest.raises(InputError, match="another run"):
                first.keep(2)
            second.keep(3)
