"""`headwater bench fuzz`."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from headwater.cli.in_process import command_in_process
from headwater.cli.input.arguments import JsonOption, local_folder
from headwater.cli.show.output import print_json, progress_console

__all__ = ["bench_fuzz"]

PATIENCE_S = 300


def bench_fuzz(
    projects: Annotated[int, typer.Option(help="How many random projects.", min=1)] = 500,
    seed: Annotated[int, typer.Option(help="The seed of the first; the next has the next.", min=0)] = 0,
    spark: Annotated[bool, typer.Option(help="Also run, read and verify.")] = True,
    out: Annotated[Path, typer.Option(callback=local_folder, help="Where results go.")] = Path(
        "bench-results/fuzz"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Ten projects.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take random projects through all commands: no traceback, no hang, exit statuses as promised.

    Names are plain, keywords, beyond ASCII or impossible; half of the projects are broken in one way or
    another. A finding is repeated by its seed: `headwater bench fuzz --projects 1 --seed SEED`.

    Example: `headwater bench fuzz --projects 50`
    """
    from headwater.bench.fuzz.run import run, warm_up

    console = progress_console()
    out.mkdir(parents=True, exist_ok=True)
    if spark:
        warm_up((out / "spark.log").absolute())
    scratch = Path(tempfile.mkdtemp(dir=out, prefix="projects-")).absolute()
    findings = run(
        scratch,
        10 if quick else projects,
        seed,
        partial(command_in_process, seconds=PATIENCE_S),
        spark,
        lambda text: console.print(text, markup=False),
    )
    if not findings:
        scratch.rmdir()
    answer = {
        "projects": 10 if quick else projects,
        "seed": seed,
        "spark": spark,
        "findings": [asdict(finding) for finding in findings],
    }
    (out / "fuzz.json").write_text(json.dumps(answer, indent=2))
    if as_json:
        print_json(answer)
    else:
        print(f"{answer['projects']} projects from seed {seed}: {len(findings)} findings")
        for finding in findings[:20]:
            print(f"seed {finding.seed}: headwater {' '.join(finding.words)}: {finding.wrong}")
    if findings:
        raise typer.Exit(1)
