"""`headwater verify`: recomputes as of the view's time and compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.output import console, print_json, progress_console
from headwater.clock import instant_text

if TYPE_CHECKING:
    from headwater.engine.verify import Verified

__all__ = ["verify"]


def verify(
    folder: ProjectFolder,
    view: Annotated[str | None, typer.Argument(metavar="[VIEW]", help="One view; default: all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute views from their SQL over the sources as of the view's time, on Spark, and compare.

    Exit status 1 if a view differs. Works beside a run.

    Example: `headwater verify shop big_orders`
    """
    import headwater

    project = headwater.open(str(folder))
    names = [project.catalog.view(view).name] if view is not None else list(project.catalog.kept)
    results: list[Verified] = []
    with progress_console().status("starting Spark ...") as progress:
        for name in names:
            progress.update(f"verifying {name} ...")
            results += project.verify([name])
    if as_json:
        print_json(
            {
                "views": [
                    {
                        "name": one.view,
                        "equal": one.equal,
                        "time": instant_text(one.time),
                        "rows": one.rows,
                        "missing": [{"row": row, "count": count} for row, count in one.missing],
                        "extra": [{"row": row, "count": count} for row, count in one.extra],
                    }
                    for one in results
                ]
            }
        )
    else:
        _print(results)
    if not all(one.equal for one in results):
        raise typer.Exit(1)


def _print(results: list[Verified]) -> None:
    out = console()
    for one in results:
        verdict = "equal" if one.equal else f"DIFFERENT: {len(one.missing)} missing, {len(one.extra)} extra"
        out.print(f"{one.view}: {verdict} ({one.rows} rows as of {instant_text(one.time)})")
        for row, count in one.missing[:5]:
            out.print(f"  missing {count} x {row}")
        for row, count in one.extra[:5]:
            out.print(f"  extra   {count} x {row}")
