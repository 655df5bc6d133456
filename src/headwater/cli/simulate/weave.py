"""`headwater simulate weave`: which window aggregates share partial results, and on which node."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.input.files import read_text, write_text
from headwater.cli.show.output import console, print_json, print_table, progress_console
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.planning.windows import Weave

__all__ = ["simulate_weave"]

LONGEST_CELL = 60


def simulate_weave(
    file: Annotated[str, typer.Argument(help="The workload as JSON; - reads standard input.")],
    optimizer: Annotated[
        str,
        typer.Option(
            help="g-rand w-rand wg-rand g-rr w-rr wg-rr g-tl w-tl wg-tl w-tn wg-tn w-i wg-i, or best."
        ),
    ] = "best",
    objective: Annotated[
        str, typer.Option(help="What best makes small: total (cost) or balanced (largest load).")
    ] = "balanced",
    merge_identical: Annotated[
        bool,
        typer.Option("--merge-identical/--no-merge-identical", help="Weave queries of equal slides first."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Makes the random choices repeatable.")] = 0,
    svg: Annotated[Path | None, typer.Option(help="Draw the edges of the trees to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Plan window aggregates: which share a tree of partial aggregates, and on which node each tree runs.

    The input: {"rate": 100, "nodes": 4, "queries": [{"id": "q1", "range": 6, "slide": 2}, ...]}; ranges and
    slides are whole numbers of one unit or intervals ('250 ms'); nodes are a number or a list of
    {"name": "n1", "capacity": 2.0}.

    Examples:

      headwater simulate weave dashboards.json

      headwater simulate weave dashboards.json --optimizer wg-tn --json

      headwater simulate weave dashboards.json --objective total --svg trees.svg
    """
    from headwater.planning.windows import Objective, gap_notes, parse_workload, plan, plan_fields, trees_svg

    if objective not in [choice.value for choice in Objective]:
        raise InputError("HW512", f'there is no objective "{objective}"', hint="Use total or balanced.")
    workload = parse_workload(read_text(file), file)
    for note in gap_notes(workload):
        progress_console().print(f"Note: {note}.")
    started = perf_counter()
    made = plan(workload, optimizer, objective=Objective(objective), merge=merge_identical, seed=seed)
    seconds = perf_counter() - started
    if svg is not None:
        write_text(svg, trees_svg(made))
    if as_json:
        notes = {"notes": gap_notes(workload)}
        named = {"optimizer": optimizer, "objective": objective, "seconds": seconds}
        print_json(named | plan_fields(made) | notes)
    else:
        _show(made, optimizer, seconds)


def _show(made: Weave, optimizer: str, seconds: float) -> None:
    rows = [
        (node.node.name, f"{node.cost:,.3f}", _shorten([query.id for query in tree.queries]),
         f"{made.cost.edge_rate(tree):.6g}", tree.overlap, f"{made.cost.of(tree):,.3f}")
        for node in made.nodes
        for tree in node.trees
    ]  # fmt: skip
    columns = ("node", "node cost", "queries", "edge rate", "overlap", "cost")
    print_table(f"Plan by {optimizer}", columns, rows, right=("node cost", "edge rate", "overlap", "cost"))
    idle = sum(1 for node in made.nodes if not node.trees)
    console().print(
        f"total cost {made.total_cost:,.3f}, maximum {made.max_cost:,.3f} operations per unit of time, "
        f"{idle} of {len(made.nodes)} nodes idle; planned in {seconds:.3f} s"
    )


def _shorten(names: list[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}... ({len(names)})"
