"""What a run and those outside of it tell each other: pushes under way, verifications asked for."""

from __future__ import annotations

from pathlib import Path

from headwater.storage.notices.under_way import NOTHING, UnderWay, WorkUnderWay, read_under_way
from headwater.storage.notices.verifications import (
    ask_for,
    asked,
    read_outcome,
    take_up,
    waits,
    write_outcome,
)
from headwater.storage.records.run_lock import run_lock


def test_what_is_under_way_is_told_while_it_lasts(tmp_path: Path) -> None:
    root, under_way = str(tmp_path), UnderWay(str(tmp_path))
    with run_lock(root, 1):
        assert read_under_way(root) == NOTHING
        with under_way.push({"a", "b"}):
            assert read_under_way(root) == WorkUnderWay(("a", "b"))
            with under_way.push({"b"}), under_way.action(["shared", "a"]):
                assert read_under_way(root) == WorkUnderWay(("a", "b"), ("a", "shared"))
            assert read_under_way(root) == WorkUnderWay(("a", "b"))
        assert read_under_way(root) == NOTHING


def test_a_killed_run_leaves_nothing_under_way(tmp_path: Path) -> None:
    root, killed = str(tmp_path), UnderWay(str(tmp_path))
    under_way = killed.push({"a"})
    under_way.__enter__()  # never left
    assert read_under_way(root) == NOTHING  # no run is alive
    with run_lock(root, 1):
        UnderWay(root).begin()
        assert read_under_way(root) == NOTHING


def test_what_cannot_be_told_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    under_way = UnderWay(str(tmp_path / "file"))  # no folder can be made there
    with under_way.push({"a"}):
        assert under_way.now == WorkUnderWay(("a",))


def test_a_verification_is_asked_for_taken_up_and_told(tmp_path: Path) -> None:
    root, name = str(tmp_path), "../<img> ü"
    assert asked(root) == []
    ask_for(root, "other", 2)
    ask_for(root, name, 1)
    ask_for(root, name, 3)
    assert [request.view for request in asked(root)] == ["other", name]
    assert waits(root, name)
    take_up(root, asked(root)[1])
    assert not waits(root, name)
    assert read_outcome(root, name) is None
    write_outcome(root, name, {"state": "done"})
    assert read_outcome(root, name) == {"state": "done"}
    assert [path.parent.name for path in tmp_path.rglob("*.json")] == ["verifications"] * 2
