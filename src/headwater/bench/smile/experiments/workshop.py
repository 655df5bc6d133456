"""Where experiments work: fills projects once, gives each run its own copy, stores the outcomes.

out/
  cache/<what>/     filled projects; with --keep they stay for the next bench
  work/<number>/    the project of the current run; with --keep it stays too
  runs/<name>/      audit.parquet, pushes.parquet, outcome.json of every run
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.api import Headwater
from headwater.bench.smile.measuring.outcome import Outcome, Setup, outcome
from headwater.bench.smile.measuring.run import run_under_load
from headwater.bench.smile.measuring.verify import Checked, check_views
from headwater.bench.smile.workload.cache import cache_name, copy_filled, ready, set_ready
from headwater.bench.smile.workload.project import write_project
from headwater.errors import HeadwaterError

__all__ = ["Workshop"]

Tell = Callable[[str], None]


@dataclass(slots=True)
class Workshop:
    """Runs experiments below the folder `out`."""

    out: Path
    tell: Tell
    seed: int = 7
    verify: str = "duckdb"  # or spark, none
    keep_cache: bool = False
    runs: int = field(default=0, init=False)

    def run(self, setup: Setup, name: str = "") -> Outcome:
        """One measured run on a fresh copy of a filled project."""
        self.runs += 1
        folder = self.out / "work" / str(self.runs)
        shutil.rmtree(folder, ignore_errors=True)
        return self.run_in(folder, setup, self._project(folder, setup), name or f"run-{self.runs}")

    def run_in(self, folder: Path, setup: Setup, preload: dict[str, Any], name: str) -> Outcome:
        """One measured run of a project that is ready."""
        try:
            project, record = run_under_load(folder, setup.load, setup.sharing, self.tell)
            result = outcome(project, setup, record, preload, self._checked(project))
        finally:
            if not self.keep_cache:
                shutil.rmtree(folder, ignore_errors=True)
        self._store(result, name)
        wrong = [checked.view for checked in result.checked if not checked.equal]
        if wrong:
            raise HeadwaterError(
                "HW414",
                f"{len(wrong)} views are not what DuckDB makes of the same rows: {', '.join(wrong)}",
                hint=f"--keep leaves the project in {folder}.",
            )
        return result

    def close(self) -> None:
        """Remove what the next bench does not need; with --keep, filled projects and those that ran stay."""
        for name in ("work", "cache") if not self.keep_cache else ():
            shutil.rmtree(self.out / name, ignore_errors=True)

    def _project(self, folder: Path, setup: Setup) -> dict[str, Any]:
        cached = self.out / "cache" / cache_name(setup.shape, self.seed, setup.sharing)
        cost = ready(cached)
        if cost is None:
            cost = self._fill(cached, setup)
        copy_filled(cached, folder)
        write_project(folder, setup.shape)
        return cost

    def _fill(self, folder: Path, setup: Setup) -> dict[str, Any]:
        shutil.rmtree(folder, ignore_errors=True)
        write_project(folder, setup.shape)
        self.tell(f"filling a project with {setup.shape.preload:,} tweets and computing its views")
        command = [
            sys.executable, "-m", "headwater.bench.smile.workload.preload", str(folder),
            "--tweets", str(setup.shape.preload), "--seed", str(self.seed),
            "--sharing" if setup.sharing else "--no-sharing",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            last: list[str] = []
            for line in process.stderr:
                last = [*last[-20:], line]
                self.tell(line.rstrip())
            answer = process.stdout.read().strip()
        if process.returncode:
            raise HeadwaterError("HW415", "filling the project failed", detail="".join(last))
        cost = dict(json.loads(answer.splitlines()[-1]))
        self.tell(
            f"views computed in {cost['compute']['seconds']:.0f} s and {cost['compute']['cpu_seconds']:.0f}"
            " CPU-s, which do not count"
        )
        set_ready(folder, cost)
        return cost

    def _checked(self, project: Headwater) -> tuple[Checked, ...]:
        match self.verify:
            case "none":
                return ()
            case "spark":
                return tuple(
                    Checked(
                        verified.view,
                        verified.equal,
                        verified.rows,
                        verified.rows + _total(verified.missing) - _total(verified.extra),
                        None,
                    )
                    for verified in project.verify()
                )
            case _:
                self.tell("checking the views against DuckDB")
                return tuple(check_views(project, self.out / "work", self.tell))

    def _store(self, result: Outcome, name: str) -> None:
        folder = self.out / "runs" / name
        folder.mkdir(parents=True, exist_ok=True)
        for table, rows in (("audit", result.journals.audit), ("pushes", result.journals.pushes)):
            if rows:
                pq.write_table(pa.Table.from_pylist(list(rows)), folder / f"{table}.parquet")
        (folder / "outcome.json").write_text(json.dumps(result.json(), indent=2, default=str))


def _total(rows: Sequence[tuple[object, int]]) -> int:
    return sum(count for _, count in rows)
