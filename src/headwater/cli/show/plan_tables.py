"""`headwater plan` for people: will promises be kept, what does it cost, what is shared; then the views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from headwater.cli.show.output import console, print_indented, print_table
from headwater.cli.show.plan_details import print_details, print_push
from headwater.cli.show.plan_words import shared_words
from headwater.cli.show.tables import Column
from headwater.errors import Place
from headwater.serve.planning.plan import Planned, PlannedView
from headwater.units import counted, dollar_text, percent_text, seconds_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_plan", "print_reasons", "print_views"]

MOST_SHARED = 5  # shown without --explain
INDENT = 10


def print_plan(planned: Planned, shown: tuple[PlannedView, ...], explain: bool) -> None:
    out = console()
    if not planned.views:
        out.print(
            f"{planned.project} declares no materialized view yet:"
            " write CREATE MATERIALIZED VIEW name AS SELECT ... into an SQL file of its folder",
            soft_wrap=True,
        )
        return
    if len(shown) == len(planned.views):
        _print_answer(planned, explain)
    print_views(shown, " (not added)")
    for view in shown:
        print_reasons(out, view)
        if explain or not view.estimate.admitted:
            print_push(out, view)
    _print_effects(out, planned)
    _print_running(out, planned)
    if explain:
        print_details(out, planned, shown)
    _print_basis(out, planned)


def _print_answer(planned: Planned, explain: bool) -> None:
    """What a user asks first."""
    for label, lines in (
        ("Promises", [_promises(planned)]),
        ("Cost", [_cost(planned)]),
        ("Shared", _shared(planned, explain)),
        ("Push", [_push(planned)]),
    ):
        for number, line in enumerate(lines):
            print_indented(f"{label if number == 0 else '':{INDENT}}{line}", INDENT)


def _promises(planned: Planned) -> str:
    views = counted(len(planned.views), "view")
    refused = [view.view.name for view in planned.views if not view.estimate.admitted]
    if refused:
        return f"cannot be kept for {len(refused)} of {views}: {', '.join(refused)}"
    tight = [view.view.name for view in planned.views if view.tight]
    barely = f"; only just for {', '.join(tight)}" if tight else ""
    return f"can be kept for {'all ' if len(planned.views) > 1 else ''}{views}{barely}"


def _cost(planned: Planned) -> str:
    alone, together = planned.dollars_alone, planned.dollars_per_hour
    saved = 1.0 - together / alone if alone > 0 else 0.0
    compared = f"; {dollar_text(alone)} without sharing ({percent_text(saved)} saved)"
    apart = compared if alone and percent_text(saved) != "0%" else ""
    return f"{dollar_text(together)} $/hour{apart}"


def _shared(planned: Planned, explain: bool) -> list[str]:
    lines = shared_words(planned)
    if explain or len(lines) <= MOST_SHARED:
        return lines or ["nothing: no two views need the same work"]
    return [*lines[:MOST_SHARED], f"... and {len(lines) - MOST_SHARED} more; --explain shows all"]


def _push(planned: Planned) -> str:
    if not planned.keeps.actions:
        return "nothing to push"
    count = counted(planned.spark_actions, "Spark action")
    return (
        f"all views in {count}, about {planned.keeps.seconds:.2f} s;"
        f" {planned.busy_cores:.2f} cores busy on average"
    )


VIEWS = (
    Column("view"), Column("freshness", True), Column("push", True), Column("$/hour", True, 1),
    Column("refresh", rank=2), Column("answer"),
)  # fmt: skip


def print_views(shown: Iterable[PlannedView], not_added: str = "") -> None:
    """A line for each view: what it promises, what that takes, and the answer."""
    print_table(
        "",
        VIEWS,
        [
            (
                view.view.name + (not_added if view.asked and "(asked)" not in view.view.name else ""),
                seconds_text(view.view.freshness.total_seconds()),
                f"{view.estimate.push.seconds:.2f} s",
                dollar_text(view.estimate.dollars_per_hour) if view.estimate.admitted else "",
                "full (cheaper)" if view.recomputed else view.refresh,
                _answer(view),
            )
            for view in shown
        ],
    )


def _answer(view: PlannedView) -> str:
    if not view.estimate.admitted:
        return "REFUSED"
    return "tight" if view.tight else "admitted"


def print_reasons(out: Console, view: PlannedView) -> None:
    """Why a view is refused, barely kept, or refreshed in full."""
    name = view.view.name
    if not view.estimate.admitted or view.tight:
        out.print(f"{name}: {view.reason}.", markup=False)
    for wall in view.kept.obstacles:
        _print_at(out, f"{name}: full refresh, because {wall.reason}", wall.place)
    for warning in view.kept.warnings:
        _print_at(out, f"{name}: warning, {warning.reason}", warning.place)


def _print_at(out: Console, message: str, place: Place | None) -> None:
    out.print(message if place is None else f"{message} at {place}", markup=False)
    if place is not None and place.text:
        out.print(place.excerpt(), markup=False)


def _print_effects(out: Console, planned: Planned) -> None:
    new = [view.view.name for view in planned.views if view.asked and view.estimate.admitted]
    if not new:
        return
    extra = planned.dollars_per_hour_with - planned.dollars_per_hour
    out.print(
        f"With {', '.join(new)}: {'+' if extra >= 0 else ''}{dollar_text(extra)} $/hour in all.", markup=False
    )
    for effect in planned.effects:
        out.print(
            f"  {effect.view}: {dollar_text(effect.dollars_before)} -> {dollar_text(effect.dollars)} $/hour,"
            f" push {effect.seconds_before:.2f} -> {effect.seconds:.2f} s",
            markup=False,
        )


def _print_running(out: Console, planned: Planned) -> None:
    """Which plan is being run, and whether another would pay."""
    running = planned.running
    if running is None:
        return
    if running.same:
        out.print("This is the plan that runs follow.")
        return
    share = running.saves / running.dollars if running.dollars > 0 else 0.0
    pays = (
        f"a new one would save {dollar_text(running.saves)} ({percent_text(share)}): headwater run --replan"
        if percent_text(share) != "0%"
        else "a new one would save nothing"
    )
    out.print(
        f"Runs follow an earlier plan, {dollar_text(running.dollars)} $/hour today; {pays}.", markup=False
    )


def _print_basis(out: Console, planned: Planned) -> None:
    origins = {facts.rows_from.value for facts in planned.sources.values()}
    origins |= {facts.rate_from.value for facts in planned.sources.values()}
    corrected = planned.corrections.views
    learnt = f", corrected by the pushes of {counted(len(corrected), 'view')}" if corrected else ""
    out.print(
        f"Sizes and rates: {', '.join(sorted(origins))}. Speed of this machine: "
        f"{planned.calibration or 'defaults'}{learnt}.",
        markup=False,
    )
