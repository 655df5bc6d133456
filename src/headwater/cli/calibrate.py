"""`headwater calibrate`: how long each kind of edge takes on the machine at hand."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.arguments import JsonOption
from headwater.cli.output import console, print_json, print_table, progress_console
from headwater.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.model import Project
    from headwater.sharing.fitting import Fit, Point
    from headwater.sharing.operators import Operators

__all__ = ["calibrate"]

Folder = Annotated[
    Path | None,
    typer.Argument(
        metavar="[DIR]", help="A project; without one, the machine is calibrated for all projects."
    ),
]


def calibrate(
    folder: Folder = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw time against tuples (SVG or PNG).")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Half a minute instead of three: fewer sizes, fewer rounds.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how long commits, copies, joins, unions and aggregates take here, and remember it.

    `headwater plan` and `headwater run` use the result: a project's own calibration
    (STORAGE/system/calibration.json) before the machine's (~/.config/headwater/calibration.json).

    Examples: `headwater calibrate --plot times.svg`, `headwater calibrate shop --quick`
    """
    from headwater.sharing.fitting import fit
    from headwater.storage.calibration import machine_file, project_file, write_calibration

    if plot is not None and plot.suffix not in (".svg", ".png"):
        raise InputError("HW880", f"{plot} is neither .svg nor .png", hint="name the picture times.svg")
    project = _project(folder)
    target = machine_file() if project is None else project_file(project.storage)
    points = _measured(project, quick)
    fits = {kind: fit(found) for kind, found in points.items()}
    operators = _operators(fits)
    write_calibration(target, operators, _how(points, fits, quick))
    if plot is not None:
        from headwater.cli.calibration_plot import draw_calibration

        draw_calibration(plot, points, fits)
    if as_json:
        print_json({"path": str(target), "quick": quick, "operators": _rows(points, fits)})
    else:
        _print(points, fits, target)


def _project(folder: Path | None) -> Project | None:
    from headwater.project import load

    return None if folder is None else load(str(folder))


def _measured(project: Project | None, quick: bool) -> dict[str, tuple[Point, ...]]:
    """Measure with the project's Spark, in its own storage, where pushes will read and write."""
    from headwater.engine.calibration import FULL, QUICK, measure
    from headwater.engine.session import session

    out = progress_console()
    within = None
    if project is not None:
        within = os.path.join(project.storage, "system")
        os.makedirs(within, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="calibration-", dir=within) as scratch:
        out.print("starting Spark")
        master, config = ("local[*]", {}) if project is None else (project.spark_master, project.spark_config)
        spark = session("calibrate", master, config, os.path.join(scratch, "spark.log"))
        try:
            return measure(spark, os.path.join(scratch, "bench"), QUICK if quick else FULL, out.print)
        finally:
            spark.stop()


def _operators(fits: Mapping[str, Fit]) -> Operators:
    from headwater.sharing.graph import EdgeKind
    from headwater.sharing.operators import OPERATORS, OperatorModel

    return OPERATORS.with_models(
        {
            EdgeKind(kind): OperatorModel(one.fixed, one.per_tuple, one.per_scanned)
            for kind, one in fits.items()
        }
    )


def _how(points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit], quick: bool) -> dict[str, Any]:
    """What stands beside the operators in the file: for people, and for `--plot` of another day."""
    from headwater.clock import SystemClock

    return {
        "at": SystemClock().now(),
        "cores": os.cpu_count(),
        "quick": quick,
        "fits": {kind: {"r_squared": one.r_squared, "error": one.error} for kind, one in fits.items()},
        "points": {
            kind: [[one.tuples, one.scanned, one.seconds] for one in found] for kind, found in points.items()
        },
    }


def _rows(points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit]) -> list[dict[str, Any]]:
    from headwater.sharing.fitting import medians
    from headwater.sharing.graph import EdgeKind
    from headwater.sharing.operators import OPERATORS

    return [
        {
            "kind": kind,
            "fixed": one.fixed,
            "per_tuple": one.per_tuple,
            "per_scanned": one.per_scanned,
            "r_squared": one.r_squared,
            "error": one.error,
            "measurements": len(points[kind]),
            "default": {
                name: getattr(OPERATORS.models[EdgeKind(kind)], name)
                for name in ("fixed", "per_tuple", "per_scanned")
            },
            "points": [
                {"tuples": point.tuples, "scanned": point.scanned, "seconds": point.seconds, "residual": rest}
                for point, rest in zip(medians(points[kind]), one.residuals, strict=True)
            ],
        }
        for kind, one in fits.items()
    ]


def _print(points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit], target: Path) -> None:
    from headwater.sharing.graph import EdgeKind
    from headwater.sharing.operators import OPERATORS

    numbers = (
        "fixed s",
        "default",
        "s/10,000 changes",
        "default ",
        "s/million scanned",
        "default  ",
        "R2",
        "error",
    )
    print_table(
        "Seconds of an edge = fixed + per change + per scanned row",
        ("edge", *numbers),
        [
            (
                kind,
                f"{one.fixed:.3f}",
                f"{(usual := OPERATORS.models[EdgeKind(kind)]).fixed:.3f}",
                f"{one.per_tuple * 1e4:.4f}",
                f"{usual.per_tuple * 1e4:.4f}",
                f"{one.per_scanned * 1e6:.3f}",
                f"{usual.per_scanned * 1e6:.3f}",
                f"{one.r_squared:.2f}",
                f"{one.error:.0%}",
            )
            for kind, one in fits.items()
        ],
        right=numbers,
    )
    count = sum(len(found) for found in points.values())
    console().print(f"{count} measurements; written to {target}", markup=False)
