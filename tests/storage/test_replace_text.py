"""Small files are replaced in one step, and a full disk leaves no drafts behind."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from headwater.storage import replace_text as module
from headwater.storage.replace_text import replace_text


def test_a_failure_leaves_the_old_text_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "folder" / "sites.json"
    replace_text(path, "old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        replace_text(path, "new")
    assert [file.name for file in path.parent.iterdir()] == ["sites.json"]
    assert path.read_text() == "old"


def test_two_threads_do_not_share_a_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real = tmp_path / "sites.json", os.replace

    def another_thread_first(draft: str, target: str) -> None:
        if threading.current_thread() is threading.main_thread():
            other = threading.Thread(target=replace_text, args=(path, "of another thread"))
            other.start()
            other.join()
        real(draft, target)

    monkeypatch.setattr(module.os, "replace", another_thread_first)
    replace_text(path, "own")
    assert path.read_text() == "own"
    assert [file.name for file in tmp_path.iterdir()] == ["sites.json"]
