"""`headwater calibrate`: how long each kind of edge takes on the machine at hand."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, QuietOption
from headwater.cli.input.files import writable_picture
from headwater.cli.show.output import console, print_json, print_table, progress_console
from headwater.cli.show.tables import Column
from headwater.units import percent_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.model import Project
    from headwater.planning.cost.fitting import Fit, Point
    from headwater.planning.cost.operators import OperatorModel, Operators

__all__ = ["calibrate"]

COLUMNS = (
    Column("operator"), Column("alone s", True, 2), Column("fixed s", True), Column("default", True, 3),
    Column("s/10,000 changes", True), Column("default ", True, 3), Column("s/million scanned", True),
    Column("default  ", True, 3), Column("R2", True, 1), Column("error", True, 1),
)  # fmt: skip
Folder = Annotated[
    Path | None,
    typer.Argument(metavar="DIR", help="A project; without one, the machine is calibrated for all projects."),
]


def calibrate(
    folder: Folder = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw time against tuples; .svg, .png or .pdf."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Half a minute instead of three: fewer sizes, fewer rounds.")
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how long commits, copies, joins, unions and aggregates take on this machine, and remember it.

    `headwater plan` and `headwater run` use the result: a project's own calibration
    (STORAGE/system/calibration.json) before the machine's (~/.config/headwater/calibration.json).

    Examples: `headwater calibrate --plot times.svg`, `headwater calibrate shop --quick`
    """
    from headwater.planning.cost.fitting import fit
    from headwater.planning.cost.measured import measured_operators
    from headwater.storage.records.calibration import machine_file, project_file, write_calibration

    picture = None if plot is None else writable_picture(plot)
    project = _project(folder)
    target = machine_file() if project is None else project_file(project.storage)
    points = _measured(project, quick)
    fits = {kind: fit(measured) for kind, measured in points.items()}
    operators = measured_operators(fits)
    write_calibration(target, operators, _how(points, fits, quick))
    if picture is not None:
        from headwater.cli.show.calibration_plot import draw_calibration

        draw_calibration(picture, points, fits)
    if as_json:
        print_json({"path": str(target), "quick": quick, "operators": _rows(points, fits, operators)})
    elif not quiet:
        _print(points, fits, operators, target)


def _project(folder: Path | None) -> Project | None:
    from headwater.project import load

    return None if folder is None else load(str(folder))


def _measured(project: Project | None, quick: bool) -> dict[str, tuple[Point, ...]]:
    """Measure with the project's Spark, in its own storage, where pushes will read and write."""
    from headwater.engine.spark.java import check_java
    from headwater.engine.spark.jvm import Lifetime, expect
    from headwater.engine.spark.session import session
    from headwater.engine.upkeep.calibration import FULL, QUICK, measure
    from headwater.storage.permissions import make_root

    master, config = ("local[*]", {}) if project is None else (project.spark_master, project.spark_config)
    check_java([master])
    out = progress_console()
    within = None
    if project is not None:
        make_root(project.storage)
        within = os.path.join(project.storage, "system")
        os.makedirs(within, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="calibration-", dir=within) as scratch:
        out.print("starting Spark ...")
        expect(Lifetime.LONG, leave_archive=True)
        spark = session("calibrate", master, config, os.path.join(scratch, "spark.log"))
        try:
            return measure(spark, os.path.join(scratch, "bench"), QUICK if quick else FULL, out.print)
        finally:
            spark.stop()


def _how(points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit], quick: bool) -> dict[str, Any]:
    """How the operators were measured; stored beside them in the file for people to read."""
    from headwater.clock import SystemClock

    return {
        "at": SystemClock().now(),
        "cores": os.cpu_count(),
        "quick": quick,
        "fits": {
            kind: {"r_squared": fit.r_squared, "error": fit.error, "used": fit.is_usable}
            for kind, fit in fits.items()
        },
        "points": {
            kind: [[point.tuples, point.scanned, point.seconds] for point in measured]
            for kind, measured in points.items()
        },
    }


def _model(operators: Operators, kind: str) -> OperatorModel:
    """What a kind adds to its action; of "action", what it costs itself and a stage adds (`per_tuple`)."""
    from headwater.planning.cost.operators import OperatorModel
    from headwater.planning.graph.graph import EdgeKind

    if kind != "action":
        return operators.models[EdgeKind(kind)]
    return OperatorModel(operators.action, 2 * operators.models[EdgeKind.JOIN].fixed)


def _rows(
    points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit], operators: Operators
) -> list[dict[str, Any]]:
    from dataclasses import asdict

    from headwater.planning.cost.fitting import medians
    from headwater.planning.cost.operators import OPERATORS

    return [
        {
            "kind": kind,
            **asdict(_model(operators, kind)),
            "alone": fit.fixed,
            "r_squared": fit.r_squared,
            "error": fit.error,
            "used": fit.is_usable,
            "measurements": len(points[kind]),
            "default": asdict(_model(OPERATORS, kind)),
            "points": [
                {"tuples": point.tuples, "scanned": point.scanned, "seconds": point.seconds, "residual": rest}
                for point, rest in zip(medians(points[kind]), fit.residuals, strict=True)
            ],
        }
        for kind, fit in fits.items()
    ]


def _print(
    points: Mapping[str, tuple[Point, ...]], fits: Mapping[str, Fit], operators: Operators, target: Path
) -> None:
    from headwater.planning.cost.operators import OPERATORS

    def row(kind: str, fit: Fit) -> tuple[str, ...]:
        model, usual = _model(operators, kind), _model(OPERATORS, kind)
        changes = kind != "action"
        return (
            kind,
            f"{fit.fixed:.3f}" if changes else "",
            f"{model.fixed:.3f}",
            f"{usual.fixed:.3f}",
            f"{model.per_tuple * 1e4:.4f}" if changes else "",
            f"{usual.per_tuple * 1e4:.4f}" if changes else "",
            f"{model.per_scanned * 1e6:.3f}",
            f"{usual.per_scanned * 1e6:.3f}",
            f"{fit.r_squared:.2f}",
            percent_text(fit.error),
        )

    print_table(
        "Seconds that an operator adds to its action = fixed + per change + per scanned row",
        COLUMNS,
        [row(kind, fit) for kind, fit in fits.items()],
    )
    count = sum(len(measured) for measured in points.values())
    out = console()
    out.print(
        f"An action costs {operators.action:.3f} s itself and"
        f" {_model(operators, 'action').per_tuple:.3f} s for each join;"
        f" `alone` is an action with one operator.",
        markup=False,
    )
    for kind, fit in fits.items():
        if not fit.is_usable:
            out.print(
                f"{kind}: not used, because its times hardly follow the rows (R2 {fit.r_squared:.2f}); the"
                " default stays. Calibrate again when the machine is idle.",
                markup=False,
            )
    out.print(f"{count} measurements; written to {target}", markup=False)
