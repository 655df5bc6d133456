"""`headwater bench plan`: the projects it writes can be planned, and the command prints what that took."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.bench.planning import measure
from headwater.bench.planning.projects import write_six_sites, write_sql, write_windows
from support.commands import answer, command


def test_the_projects_are_what_they_say(tmp_path: Path) -> None:
    write_six_sites(tmp_path / "sharings")
    write_sql(tmp_path / "sql")
    write_windows(tmp_path / "windows", 40)
    views = {name: headwater.open(str(tmp_path / name)).catalog.kept for name in measure.PROJECTS}
    assert [len(kept) for kept in views.values()] == [25, 100, 40]
    assert not any(kept.obstacles for name in views for kept in views[name].values())


def test_the_command_says_what_each_part_took(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(folder: Path) -> None:
        write_windows(folder, 5)

    monkeypatch.setattr(measure, "PROJECTS", {"windows": ("5 windows", few)})
    monkeypatch.setattr(measure, "RUNS", 1)
    (line,) = answer("bench", "plan")
    assert (line["project"], line["views"]) == ("5 windows", 5)
    assert all(line[part] > 0 for part in line if part.endswith(("_s", "seconds")))


def test_a_project_that_is_not_there() -> None:
    ended = command("bench", "plan", "--only", "joins", status=2)
    assert "there is no joins: sharings, sql, windows" in ended.stderr
