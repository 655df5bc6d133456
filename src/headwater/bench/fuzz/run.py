"""Many random projects, one after the other, in one process: its JVM is started once and stays warm."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from headwater.bench.fuzz.projects import random_project
from headwater.bench.fuzz.steps import Command, Finding, go_through

__all__ = ["run", "warm_up"]

# Every random view is another plan: compiling generated code for each would take most of the time.
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def warm_up(log: Path) -> None:
    """Start the Spark that all commands of this process use."""
    from headwater.engine.spark.jvm import Lifetime, expect
    from headwater.engine.spark.session import session

    expect(Lifetime.SHORT)
    session("fuzz", "local[2]", SETTINGS, str(log))


def run(
    root: Path, projects: int, seed: int, command: Command, spark: bool, tell: Callable[[str], None]
) -> list[Finding]:
    """Take projects with the seeds from `seed` on through all commands; returns what was wrong."""
    findings: list[Finding] = []
    for number in range(projects):
        folder = root / f"project-{seed + number}"
        folder.mkdir(parents=True)
        wrong = go_through(random_project(seed + number), folder, command, spark)
        findings += wrong
        for finding in wrong:
            tell(f"seed {finding.seed}: headwater {' '.join(finding.words)}: {finding.wrong}")
        if not wrong:
            shutil.rmtree(folder)
        if (number + 1) % 10 == 0:
            tell(f"seeds {seed} to {seed + number}: {len(findings)} findings")
    return findings
