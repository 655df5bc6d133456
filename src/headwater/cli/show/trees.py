"""Woven trees, in words and as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.cli.show.output import console, print_table
from headwater.cli.show.tables import Column
from headwater.units import counted, names_text, number_text

if TYPE_CHECKING:
    from headwater.planning.weaving.weave import Woven, WovenTree
    from headwater.serve.planning.planned import Planned
    from headwater.serve.reports.trees import TreeStatus

__all__ = ["print_apart", "print_tree_status", "print_trees", "tree_words"]


def tree_words(tree: WovenTree) -> str:
    """What views share, for somebody who has never heard of it."""
    names = names_text(tree.views, noun="views")
    cost = f"{number_text(tree.cost)} operations/s, not {number_text(tree.cost_alone)}"
    less = f": {cost}" if tree.cost < tree.cost_alone else ""
    if not tree.edge_rate:
        return f"{tree.relation}, grouped once for {names}{less}"
    return f"{tree.relation}, aggregated once for the windows of {names}{less}"


TREES = (
    Column("stage"), Column("site", rank=4), Column("views", True), Column("fragments/s", True, 2),
    Column("overlap", True, 3), Column("operations/s alone", True, 1), Column("woven", True),
    Column("$/hour alone", True, 5), Column("$/hour", True, 5),
)  # fmt: skip


def print_trees(planned: Planned) -> None:
    """A line for each tree, for --explain."""
    if not planned.woven.trees:
        return
    out = console()
    out.print("\nWoven aggregates", style="bold")
    out.print(
        "Views of one line share partial results: rows are added up once, between the instants at which any"
        " of their windows starts or ends; each view merges those fragments."
    )
    print_table(
        "",
        TREES,
        [
            (
                tree.stage,
                tree.site,
                f"{len(tree.views):,}",
                f"{tree.edge_rate:.4g}",
                f"{tree.tree.overlap:,}",
                number_text(tree.cost_alone),
                number_text(tree.cost),
                *(number_text(dollars) for dollars in planned.dollars_of(tree.views)),
            )
            for tree in planned.woven.trees
        ],
    )


def print_apart(woven: Woven) -> None:
    """Why aggregates share nothing."""
    for view, reason in woven.apart.items():
        console().print(f"{view}: not woven, because {reason}.", markup=False)


STATUS = (
    Column("woven stage"), Column("views", True), Column("rows in", True), Column("fragments", True),
    Column("merges", True), Column("CPU s", True, 2),
)  # fmt: skip


def print_tree_status(trees: tuple[TreeStatus, ...]) -> None:
    """What the trees did in the last hour."""
    if not trees:
        return
    print_table(
        "",
        STATUS,
        [
            (
                tree.stage,
                f"{len(tree.views):,}",
                f"{tree.rows_in:,}",
                f"{tree.fragments:,}",
                f"{tree.merges:,}",
                f"{tree.cpu_seconds:,.1f}",
            )
            for tree in trees
        ],
    )
    pushes = counted(sum(tree.pushes for tree in trees), "push", "pushes")
    console().print(f"Woven stages in the last hour: {pushes}.", markup=False)
