"""`headwater plan --explain`: everything that the answer rests on, in sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.algebra.stages.explaining import kept_nodes, stored_words
from headwater.cli.show.output import print_table
from headwater.cli.show.plan_words import step_words
from headwater.cli.show.tables import Column
from headwater.cli.show.trees import print_apart, print_trees
from headwater.planning.stages.actions import Mode
from headwater.planning.stages.push_plan import PlannedAction
from headwater.serve.planning.plan import Planned, PlannedView
from headwater.serve.planning.will_run import will_run
from headwater.units import counted, dollar_text, number_text, seconds_text

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.serve.planning.join_estimate import JoinEstimate

__all__ = ["print_details", "print_push"]


def print_push(out: Console, view: PlannedView) -> None:
    """The actions of the view's own push, stage by stage."""
    out.print(f"A push of {view.view.name} by itself, with all that it reads:", markup=False)
    for action in view.estimate.push.actions:
        _print_action(out, action)
    out.print(f"  {view.estimate.push.seconds:7.3f} s  in all")


def print_details(out: Console, planned: Planned, shown: tuple[PlannedView, ...]) -> None:
    _print_views(out, shown)
    if len(shown) == len(planned.views):
        _print_actions(out, planned)
        _print_steps(out, planned)
        print_trees(planned)
        print_apart(planned.woven)
    _print_used(out, shown)


def _section(out: Console, title: str) -> None:
    out.print(f"\n{title}", style="bold", markup=False)


PLANS = {
    "DPD": "the cheapest plan",
    "DPT": "the fastest plan",
    "between": "a plan between the cheapest and the fastest",
    "none": "no plan",
}


def _print_views(out: Console, shown: tuple[PlannedView, ...]) -> None:
    _section(out, "How each view is refreshed")
    for view in shown:
        out.print(f"{view.view.name}: {view.reason}.", markup=False)
        if view.estimate.admitted:
            out.print(f"  {dollar_text(view.estimate.dollars_alone)} $/hour if it were alone.")
        out.print(f"  By {PLANS[view.chosen]}: {view.estimate.admission.reason}.", markup=False)
        smallest = view.estimate.smallest
        out.print(
            f"  The smallest freshness that would be admitted:"
            f" {'none' if smallest is None else seconds_text(smallest.total_seconds())}."
            f" {counted(round(view.estimate.pushes_per_hour), 'push', 'pushes')} an hour would carry"
            " something.",
            markup=False,
        )
        if view.estimate.join is not None:
            _print_join(out, view.estimate.join)
        _print_nodes(out, view)
        _print_pushes(out, view)


def _print_nodes(out: Console, view: PlannedView) -> None:
    """How each node is kept, what its stage stores, and what would be cheaper."""
    nodes = list(kept_nodes(view.kept))
    for stage in view.kept.stages:
        out.print(f"\n{stage.name} stores {stored_words(stage)}:", markup=False)
        for node in (node for node in nodes if node.stage == stage.name):
            indent = "  " * (node.depth + 1)
            out.print(f"{indent}{node.node}", markup=False)
            out.print(f"{indent}    {node.how}", markup=False, style="dim")
            if node.hint:
                out.print(f"{indent}    Cheaper: {node.hint}", markup=False)


def _print_join(out: Console, join: JoinEstimate) -> None:
    """The plan tree of a window join, with the allowances of its half-way joins."""
    within = (
        f"within {seconds_text(join.window.total_seconds())}"
        if join.rows is None
        else f"among the last {counted(join.rows, 'row')}"
    )
    out.print(f"  {join.drawn()} {within}:", markup=False)
    for path in join.paths:
        oldest = f"rows up to {seconds_text(path.oldest.total_seconds())} old"
        allowed = (
            "" if path.tolerance is None else f" of {seconds_text(path.tolerance.total_seconds())} allowed"
        )
        hops = " then ".join(
            f"{number_text(allowance)}/s probe {partner}"
            for partner, allowance in zip(path.partners, path.allowances, strict=True)
        )
        probing = f"; {hops}" if join.adapted else ""
        out.print(
            f"    {path.stream}: {number_text(path.rate)} rows/s, {oldest}{allowed}{probing}", markup=False
        )
    if join.adapted:
        out.print(
            f"    {number_text(join.probes_per_second)} probes/s find {join.share_of_matches:.0%} of the"
            f" matches; {number_text(join.probes_needed)} would find all.",
            markup=False,
        )


def _print_pushes(out: Console, view: PlannedView) -> None:
    for will in will_run(view.kept):
        out.print(f"\nWhen {will.changed} changes, a push of {will.stage} runs:", markup=False)
        out.print("\n".join(f"  {line}" for line in will.text.splitlines()), markup=False)
    out.print()


def _print_actions(out: Console, planned: Planned) -> None:
    """What a push of all views is, as it will be run."""
    if not planned.keeps.actions:
        return
    _section(out, "A push of all views")
    for action in planned.keeps.actions:
        _print_action(out, action)
    out.print(f"  {planned.keeps.seconds:7.3f} s  in all")


def _print_action(out: Console, action: PlannedAction) -> None:
    what = "a copy" if action.stages[0].mode is Mode.COPY else f"an action of {action.spark}"
    out.print(f"  {action.seconds:7.3f} s  {what}", markup=False)
    for stage in action.stages:
        scanned = f", {counted(stage.effort.scanned, 'row')} scanned" if stage.effort.scanned else ""
        changes = f"{counted(stage.effort.changed, 'change')}{scanned}"
        anew = "recomputed, " if stage.mode is Mode.FULL else ""
        reads = ", ".join(name for name in stage.reads if name != stage.name)
        out.print(f"             {stage.name} of {reads} ({anew}{changes})", markup=False)


def _print_steps(out: Console, planned: Planned) -> None:
    """How the shared plan came about."""
    before, after = planned.plan.before, planned.plan.graph
    _section(out, "How the views came to share")
    out.print(
        f"Planned one by one: {_size(len(before.vertices), len(before.edges))}."
        f" Together: {_size(len(after.vertices), len(after.edges))}.",
        markup=False,
    )
    for step in planned.plan.steps:
        views = after.vertices.get(step.target, frozenset())
        out.print(f"  {dollar_text(step.benefit)} $/hour saved: {step_words(step, views)}", markup=False)


def _size(vertices: int, edges: int) -> str:
    return f"{counted(vertices, 'relation or delta', 'relations and deltas')}, {counted(edges, 'operator')}"


USED = (
    Column("source"), Column("rows", True), Column("from", rank=1), Column("changes/s", True),
    Column("from ", rank=1), Column("bytes/row", True, 2),
)  # fmt: skip


def _print_used(out: Console, shown: tuple[PlannedView, ...]) -> None:
    used = {name: facts for view in shown for name, facts in view.used.items()}
    _section(out, "What the estimates rest on")
    print_table(
        "",
        USED,
        [
            (
                name,
                f"{facts.rows:,.0f}",
                facts.rows_from.value,
                number_text(facts.rate),
                facts.rate_from.value,
                f"{facts.bytes_per_row:,.0f}",
            )
            for name, facts in used.items()
        ],
    )
