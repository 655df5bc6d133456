"""The run repeated while one thing changes: the rate (Figure 8), the promise (Table 2, Figure 10).

Each row is a run of its own on a fresh copy of the same filled project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.bench.smile.experiments.answers import Answer, Bench, Table
from headwater.bench.smile.measuring.outcome import Outcome, Setup
from headwater.bench.smile.measuring.run import Load
from headwater.bench.smile.workload.project import freshness_of
from headwater.bench.smile.workload.schedule import gardenhose
from headwater.bench.smile.workload.views import APPS

__all__ = ["rate", "sla"]

RATES = (50, 100, 500, 1_000, 2_000, 3_000, 5_000, 6_000)
# Figure 8, as far as the text gives numbers: violations and dollars per sharing-hour.
PAPER_RATE = {"gardenhose": ("0", ""), "firehose": ("0", "6"), "6000": ("about 3", "about 25")}
PAPER_SLA = {"10": 4, "20": 1, "30": 2, "40": 1, "50": 0, "60": 0, "mix": 0}


def rate(bench: Bench) -> Sequence[Answer]:
    """Figure 8: cost and violations at rates up to --rate, and for the uneven streams."""
    from headwater.bench.smile.figures.sweeps import draw_rates

    most = bench.shape.rate
    rates = [value for value in RATES if value < most] + [most] if not bench.quick else [most]
    outcomes = {f"{value:g}": bench.run(f"rate-{value:g}", rate=float(value)) for value in rates}
    if not bench.quick:
        outcomes["gardenhose"] = bench.workshop.run(_stream(bench, 100.0, 1.0), "gardenhose")
        if most >= 1_000:  # ten times as many, ten times as fast
            outcomes["firehose"] = bench.workshop.run(_stream(bench, 1_000.0, 10.0), "firehose")
    draw_rates(outcomes, gardenhose(7_200), bench.out)
    columns = ("tweets/s", "reached", "violations per sharing-hour", "paper", "$ per sharing-hour",
               "billed", "paper $", "CPU-s per million", "worst staleness", "GB")  # fmt: skip
    rows = [
        (
            name, f"{outcome.reached_rate:,.0f}", f"{outcome.violations_per_sharing_hour:.2f}",
            PAPER_RATE.get(name, ("", ""))[0], f"{outcome.dollars_per_sharing_hour:.4f}",
            f"{outcome.billed_dollars_per_sharing_hour:.4f}", PAPER_RATE.get(name, ("", ""))[1],
            f"{outcome.cpu_per_million:,.0f}", f"{outcome.worst_staleness_s:.1f}", f"{outcome.peak_gb:.1f}",
        )
        for name, outcome in outcomes.items()
    ]  # fmt: skip
    title = "Figure 8: rates (gardenhose: about 100 tweets/s, uneven; firehose: the same ten times faster)"
    return [Answer("rate", [Table(title, columns, rows)], _json(outcomes))]


def _stream(bench: Bench, average: float, speed: float) -> Setup:
    """The gardenhose, played at some speed."""
    setup = bench.setup(rate=average)
    stream = gardenhose(bench.seconds * speed, average)
    phases = [replace(phase, seconds=phase.seconds / speed) for phase in stream]
    return Setup(setup.shape, Load(phases, setup.load.warm, bench.every, bench.workshop.seed), setup.sharing)


def sla(bench: Bench) -> Sequence[Answer]:
    """Table 2: violations for promises of 10 to 60 s and the mix.  Figure 10: who pays less in the mix."""
    from headwater.bench.smile.figures.sweeps import draw_mix

    promises = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0] if not bench.quick else [10.0, 40.0, 60.0]
    outcomes = {
        f"{seconds:g}": bench.run(f"sla-{seconds:g}", freshness=seconds, mix=False) for seconds in promises
    }
    outcomes["mix"] = bench.run("sla-mix", mix=True)
    change = mix_change(outcomes)
    draw_mix(change, bench.out)
    columns = ("promise, s", "violations per sharing-hour", "paper", "violations", "worst staleness",
               "$ per sharing-hour", "CPU-s per million")  # fmt: skip
    rows = [
        (
            name, f"{outcome.violations_per_sharing_hour:.2f}", PAPER_SLA[name], outcome.violations,
            f"{outcome.worst_staleness_s:.1f}", f"{outcome.dollars_per_sharing_hour:.4f}",
            f"{outcome.cpu_per_million:,.0f}",
        )
        for name, outcome in outcomes.items()
    ]  # fmt: skip
    tables = [
        Table("Table 2: violations per sharing-hour by promise", columns, rows),
        Table(
            "Figure 10: billed cost of a view in the mix, against all views with its promise"
            " (paper: S1 to S7 a little dearer, the others up to 450 % cheaper)",
            ("view", "promise, s", "change"),
            [(name, f"{seconds:g}", f"{percent:+.0f} %") for name, seconds, percent in change],
        ),
    ]
    return [Answer("sla", tables, _json(outcomes) | {"figure_10": change})]


def mix_change(outcomes: dict[str, Outcome]) -> list[tuple[str, float, float]]:
    """View, promise, and the change of its billed dollars per hour, in percent of the mix's."""
    mixed = outcomes["mix"]
    changes = []
    for number, view in enumerate(mixed.views):
        promise = freshness_of(mixed.setup.shape, _number(view.name))
        uniform = outcomes[f"{promise:g}"]
        own = view.dollars / mixed.journals.hours
        other = uniform.views[number].dollars / uniform.journals.hours
        # As the paper plots it: -400 % is what costs five times as much without the mix.
        changes.append((view.name, promise, 100 * (own - other) / own if own else 0.0))
    return changes


def _number(name: str) -> int:
    return next(app.number for app in APPS if name.startswith(app.name))


def _json(outcomes: dict[str, Outcome]) -> dict[str, object]:
    return {name: outcome.json() for name, outcome in outcomes.items()}
