"""How `headwater plan` speaks to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.cli.output import console, print_table
from headwater.cli.plan_words import edge_words, step_words
from headwater.serve.plan import Planned, PlannedView
from headwater.serve.will_run import will_run
from headwater.sharing.graph import EdgeKind

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_plan"]

STEPS = 5  # shown without --explain


def print_plan(planned: Planned, shown: tuple[PlannedView, ...], explain: bool) -> None:
    out = console()
    _print_views(shown)
    for one in shown:
        _print_reasons(out, one, explain)
    if explain:
        _print_used(shown)
    _print_shared(out, planned, explain)
    _print_effects(out, planned)
    _print_totals(out, planned)


def _print_views(shown: tuple[PlannedView, ...]) -> None:
    numbers = ("promised", "push", "$/hour alone", "shared")
    print_table(
        "",
        ("view", "kept", *numbers, "plan", "answer"),
        [
            (
                one.view.name + (" (asked about)" if one.asked and "(asked)" not in one.view.name else ""),
                "full refresh" if one.refresh == "full" else "incremental",
                f"{one.view.freshness.total_seconds():g} s",
                f"{one.estimate.path.seconds:.2f} s",
                f"{one.estimate.dollars_alone:.4f}" if one.estimate.admitted else "",
                f"{one.estimate.dollars_per_hour:.4f}" if one.estimate.admitted else "",
                PLANS[one.chosen],
                _answer(one),
            )
            for one in shown
        ],
        right=numbers,
    )


PLANS = {"DPD": "cheapest", "DPT": "fastest", "between": "between", "none": ""}


def _answer(one: PlannedView) -> str:
    if not one.estimate.admitted:
        return "REFUSED"
    return "tight" if one.tight else "admitted"


def _print_reasons(out: Console, one: PlannedView, explain: bool) -> None:
    name, refused = one.view.name, not one.estimate.admitted
    if explain or refused or one.tight:
        out.print(f"{name}: {one.reason}.", markup=False)
    if one.chosen in ("DPT", "between") or explain and not refused:
        out.print(f"{name}: {one.estimate.admission.reason}.", markup=False)
    for wall in one.kept.obstacles:
        place = "" if wall.place is None else f" at {wall.place}"
        out.print(f"{name}: full refresh, because {wall.reason}{place}", markup=False)
        if wall.place is not None and wall.place.text:
            out.print(wall.place.excerpt(), markup=False)
    if explain or refused:
        _print_path(out, one)
    if explain:
        smallest = one.estimate.smallest
        out.print(
            f"The smallest freshness that would be admitted: "
            f"{'none' if smallest is None else f'{smallest.total_seconds():g} s'}."
            f"  {one.estimate.pushes_per_hour:,.0f} pushes an hour would carry something."
        )
        _print_pushes(out, one)


def _print_path(out: Console, one: PlannedView) -> None:
    """Edge by edge; capturing takes no time and is left out."""
    path = one.estimate.path
    out.print(f"The critical path of {one.view.name}:", markup=False)
    if path.delay:
        out.print(f"  {path.delay:7.3f} s  until the views that it reads are fresh")
    for step in path.steps:
        if step.edge.kind is not EdgeKind.CAPTURE:
            scanned = f", {step.scanned:,.0f} rows scanned" if step.scanned else ""
            told = f"{edge_words(step.edge)} ({step.tuples:,.0f} changes{scanned})"
            out.print(f"  {step.seconds:7.3f} s  {told}", markup=False)
    out.print(f"  {path.seconds:7.3f} s  in all")


def _print_pushes(out: Console, one: PlannedView) -> None:
    for will in will_run(one.kept):
        out.print(f"\nWhen {will.changed} changes, a push of {will.stage} runs:", markup=False)
        out.print("\n".join(f"  {line}" for line in will.text.splitlines()), markup=False)
    out.print()


def _print_used(shown: tuple[PlannedView, ...]) -> None:
    used = {name: facts for one in shown for name, facts in one.used.items()}
    print_table(
        "What the estimates rest on",
        ("source", "rows", "from", "changes/s", "from ", "bytes/row"),
        [
            (
                name,
                f"{facts.rows:,.0f}",
                facts.rows_from.value,
                f"{facts.rate:,.3g}",
                facts.rate_from.value,
                f"{facts.bytes_per_row:,.0f}",
            )
            for name, facts in used.items()
        ],
        right=("rows", "changes/s", "bytes/row"),
    )


def _print_shared(out: Console, planned: Planned, explain: bool) -> None:
    """What was merged and what that saved."""
    before, after = planned.plan.before, planned.plan.graph
    saved = planned.dollars_alone - planned.dollars_per_hour
    share = saved / planned.dollars_alone if planned.dollars_alone > 0 else 0.0
    out.print(
        f"Shared: {len(after.vertices)} vertices, {len(after.edges)} edges;"
        f" {planned.dollars_per_hour:.4f} $/hour instead of {planned.dollars_alone:.4f} ({share:.0%} saved).",
        markup=False,
    )
    if planned.plan.steps:
        out.print(
            f"{len(planned.plan.steps)} steps of plumbing, from {len(before.vertices)} vertices and"
            f" {len(before.edges)} edges:"
        )
    shown = planned.plan.steps if explain else planned.plan.steps[:STEPS]
    for step in shown:
        views = after.vertices.get(step.target, frozenset())
        out.print(f"  {step.benefit:.4f} $/h  {step_words(step, views)}", markup=False)
    if len(shown) < len(planned.plan.steps):
        out.print(f"  ... and {len(planned.plan.steps) - len(shown)} more; --explain shows all")
    _print_kept(out, planned)


def _print_kept(out: Console, planned: Planned) -> None:
    """Which plan is being run, and whether another would pay."""
    kept = planned.kept
    if kept is None:
        return
    if kept.same:
        out.print("This is the plan that runs keep to.")
        return
    share = kept.saves / kept.dollars if kept.dollars > 0 else 0.0
    pays = (
        f"a new one would save {kept.saves:.4f} ({share:.0%}): headwater run --replan makes it"
        if kept.saves > 0
        else "a new one would save nothing"
    )
    out.print(
        f"Runs keep to the plan that was made before ({len(kept.graph.vertices)} vertices,"
        f" {len(kept.graph.edges)} edges): {kept.dollars:.4f} $/hour by today's sizes; {pays}.",
        markup=False,
    )


def _print_effects(out: Console, planned: Planned) -> None:
    asked = [one.view.name for one in planned.views if one.asked and one.estimate.admitted]
    if not asked:
        return
    extra = planned.dollars_per_hour_with - planned.dollars_per_hour
    out.print(f"With {', '.join(asked)}: {extra:+.4f} $/hour in all.", markup=False)
    for one in planned.effects:
        out.print(
            f"  {one.view}: {one.dollars_before:.4f} -> {one.dollars:.4f} $/hour,"
            f" push {one.seconds_before:.2f} -> {one.seconds:.2f} s",
            markup=False,
        )


def _print_totals(out: Console, planned: Planned) -> None:
    origins = {one.rows_from.value for one in planned.sources.values()}
    origins |= {one.rate_from.value for one in planned.sources.values()}
    found = planned.corrections
    learnt = f"; corrected by the pushes of {len(found.views)} views" if found.views else ""
    out.print(
        f"{planned.busy_cores:.2f} cores busy on average.  Sizes and rates: {', '.join(sorted(origins))}."
        f"  Operators: {planned.calibration or 'defaults'}{learnt}.  --explain shows all that was used.",
        markup=False,
    )
