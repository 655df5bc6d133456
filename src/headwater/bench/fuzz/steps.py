"""A random project taken through the commands, each step checked.

always            no traceback, no hang; exit status 0, 1 or 2, and with 2 a message that has a code
plan accepts it   so do all others: what is fed is counted, status shows every source
nothing broken    run, read and verify end with 0, for whatever the names are
a typo later      status, read and ingest go on
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.bench.fuzz.projects import RandomProject

__all__ = ["Command", "Ended", "Finding", "go_through"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; `status` is None if it did not within its time."""

    status: int | None
    stdout: str
    stderr: str


Command = Callable[[list[str]], Ended]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be: in which project, by which command, and what was printed."""

    seed: int
    words: tuple[str, ...]
    wrong: str
    printed: str


@dataclass(slots=True)
class _Walk:
    project: RandomProject
    folder: Path
    command: Command
    findings: list[Finding] = field(default_factory=list)

    def do(self, *words: object, expect: tuple[int, ...] = (0, 1, 2)) -> Ended:
        texts = [str(word) for word in words]
        ended = self.command(texts)
        wrong = _wrong(ended, expect)
        if wrong:
            printed = ended.stdout[-1500:] + ended.stderr[-3000:]
            self.findings.append(Finding(self.project.seed, tuple(texts), wrong, printed))
        return ended

    def require(self, holds: bool, words: tuple[object, ...], wrong: str, ended: Ended) -> None:
        if not holds:
            printed = ended.stdout[-1500:] + ended.stderr[-3000:]
            self.findings.append(Finding(self.project.seed, tuple(map(str, words)), wrong, printed))


def _wrong(ended: Ended, expect: tuple[int, ...]) -> str:
    if ended.status is None:
        return "does not end"
    if "Traceback (most recent call last)" in ended.stderr + ended.stdout:
        return "a traceback"
    if ended.status not in expect:
        return f"exit status {ended.status} instead of {' or '.join(map(str, expect))}"
    if ended.status == 2 and not re.search(r"HW\d{3}|Usage:", ended.stderr + ended.stdout):
        return "exit status 2 without a message"
    return ""


def go_through(project: RandomProject, root: Path, command: Command, spark: bool) -> list[Finding]:
    """Write the project below `root` and take it through all commands; returns what was wrong."""
    walk = _Walk(project, root / project.folder, command)
    walk.do("init", walk.folder, expect=(0,))
    _write(project, walk.folder)
    planned = walk.do("plan", walk.folder, "--json", expect=(0, 1) if project.intact else (0, 1, 2))
    accepted = planned.status in (0, 1)
    _feed(walk, accepted)
    _show(walk, accepted)
    if spark:
        _keep(walk, accepted, _planned_views(planned))
    _change(walk, accepted, spark)
    if accepted:
        _misspell(walk)
    return walk.findings


def _write(project: RandomProject, folder: Path) -> None:
    for path in folder.glob("*.sql"):
        path.unlink()
    for name, text in project.files.items():
        (folder / name).write_text(text.replace("{root}", str(folder).replace("'", "\\'")), "utf-8")
    for table in project.tables:
        if table.folder:
            (folder / table.folder).mkdir(exist_ok=True)
            (folder / table.folder / "rows.jsonl").write_bytes(b"\n".join(table.lines) + b"\n")


def _feed(walk: _Walk, accepted: bool) -> None:
    """Ingest what tables are fed; every line is counted as accepted or rejected."""
    for number, table in enumerate(walk.project.tables):
        file = walk.folder / f"feed{number}.jsonl"
        file.write_bytes(b"\n".join(table.lines) + (b"\n" if table.lines else b""))
        if not table.fed or table.name.text.startswith("-"):
            continue
        words = ("ingest", walk.folder, table.name.text, file, "--json")
        ended = walk.do(*words, expect=(0, 1) if accepted else (2,))
        counts = _parsed(ended)
        if accepted and counts is not None:
            fed = counts.get("accepted", 0) + counts.get("rejected", 0)
            walk.require(fed == len(table.lines), words, f"{fed} of {len(table.lines)} lines counted", ended)


def _show(walk: _Walk, accepted: bool) -> None:
    words = ("status", walk.folder, "--json")
    ended = walk.do(*words, expect=(0,) if accepted else (2,))
    answer = _parsed(ended)
    if accepted and answer is not None:
        count = len(answer.get("sources", ()))
        walk.require(count == len(walk.project.tables), words, f"{count} sources shown", ended)
    walk.do("status", walk.folder, expect=(0,) if accepted else (2,))
    walk.do("capture", walk.folder, expect=(0,) if accepted else (2,))
    walk.do("dead-letters", walk.folder, expect=(0,) if accepted else (2,))
    walk.do("check", walk.folder)
    walk.do("bill", walk.folder)


def _planned_views(planned: Ended) -> frozenset[str]:
    """The views that `plan` knows: a broken file may have lost some."""
    answer = _parsed(planned)
    return (
        frozenset(view["name"] for view in answer.get("views", ()))
        if isinstance(answer, dict)
        else frozenset()
    )


def _keep(walk: _Walk, accepted: bool, views: frozenset[str]) -> None:
    """Run, read and verify; in a project without anything wrong, all of it succeeds."""
    project = walk.project
    well = _promised(project)
    run = walk.do("run", walk.folder, "--until-idle", expect=well if accepted else (2,))
    kept = accepted and run.status == 0
    for view in project.views:
        if not view.name.text.startswith("-"):
            there = kept and view.name.text in views
            walk.do("read", walk.folder, view.name.text, "--json", expect=(0,) if there else (0, 1, 2))
            walk.do("sql", walk.folder, f"SELECT count(*) AS n FROM {view.name.sql}", expect=(0, 1, 2))
    walk.do("verify", walk.folder, "--json", expect=(0,) if kept else (0, 1, 2))


def _promised(project: RandomProject) -> tuple[int, ...]:
    """How `run --until-idle` may end: with 1 if a row makes a view fail, with 2 if something is wrong."""
    if not project.intact:
        return (0, 1, 2)
    return (0, 1) if project.may_fail else (0,)


def _change(walk: _Walk, accepted: bool, spark: bool) -> None:
    """Add a view and drop one."""
    project = walk.project
    file = walk.folder.parent / "more.sql"
    file.write_text(project.more.sql, "utf-8")
    added = walk.do("add", walk.folder, file, "--force", expect=(0, 1) if project.intact else (0, 1, 2))
    if added.status == 0 and spark and accepted:
        well = _promised(project)
        walk.do("run", walk.folder, "--until-idle", expect=well)
        if not project.more.name.text.startswith("-"):
            walk.do("verify", walk.folder, project.more.name.text, expect=(0,) if well == (0,) else (0, 1, 2))
    for view in (*([project.more] if added.status == 0 else []), project.views[-1]):
        if not view.name.text.startswith("-"):
            walk.do("drop", walk.folder, view.name.text, expect=(0, 1) if project.intact else (0, 1, 2))


def _misspell(walk: _Walk) -> None:
    """A typo in the files: what reads and feeds goes on, if anything was stored before."""
    (walk.folder / "typo.sql").write_text("CREATE MATERIALISED VIEW", "utf-8")
    remembered = any(path.is_file() for path in walk.folder.glob("*/declaration.json"))
    walk.do("status", walk.folder, expect=(0,) if remembered else (2,))
    walk.do("plan", walk.folder, expect=(2,))
    (walk.folder / "typo.sql").unlink()


def _parsed(ended: Ended) -> Any:
    try:
        return json.loads(ended.stdout)
    except ValueError:
        return None
