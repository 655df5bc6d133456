"""`headwater simulate updates`: what a policy makes of a trace of updates under overload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.input.files import writable_picture
from headwater.cli.show.output import print_json, print_table
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.overload.updates import Outcome
    from headwater.overload.updates.simulation.staleness import Profile

__all__ = ["simulate_updates"]


def simulate_updates(
    trace: Annotated[Path, typer.Argument(help="CSV with columns time,key; seconds, ascending.")],
    cost: Annotated[float, typer.Option(help="Seconds to process an update (a tuple, with --window).")],
    policy: Annotated[str, typer.Option(help="append, shed, fifo, inplace, linecut or best.")] = "best",
    keep: Annotated[
        float | None, typer.Option(help="Fraction of updates that shed keeps; by default what fits.")
    ] = None,
    horizon: Annotated[
        float | None, typer.Option(help="End of the run; by default the last arrival.")
    ] = None,
    window: Annotated[float | None, typer.Option(help="Window size in seconds: simulate windows.")] = None,
    slide: Annotated[float | None, typer.Option(help="Window slide in seconds; by default the size.")] = None,
    tick: Annotated[float, typer.Option(help="The step in which the trace's time moves, for windows.")] = 1.0,
    semantics: Annotated[str, typer.Option(help="lazy or eager windows.")] = "lazy",
    weights: Annotated[Path | None, typer.Option(help="CSV with columns key,weight.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of what shed drops.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="Draw staleness over time; .svg, .png or .pdf.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the staleness of a trace of updates under a policy: exact, without Spark.

    Examples:

        headwater simulate updates quotes.csv --cost 0.01 --policy best

        headwater simulate updates quotes.csv --cost 0.01 --policy shed --keep 0.2 --json

        headwater simulate updates readings.csv --cost 0.5 --window 10 --slide 2 --semantics eager
    """
    options = _Options(trace, cost, policy, keep, horizon, window, slide, tick, semantics, weights, seed)
    options.check()
    picture = None if plot is None else writable_picture(plot)
    outcome, profile = options.run(with_profile=picture is not None)
    if picture is not None and profile is not None:
        _draw(picture, outcome, profile)
    if as_json:
        print_json(_fields(outcome))
    else:
        _print(outcome)


class _Options:
    """The command's options, checked and run."""

    def __init__(
        self, trace: Path, cost: float, policy: str, keep: float | None, horizon: float | None,
        window: float | None, slide: float | None, tick: float, semantics: str, weights: Path | None,
        seed: int,
    ) -> None:  # fmt: skip
        self.trace, self.cost, self.policy, self.keep, self.horizon = trace, cost, policy, keep, horizon
        self.window, self.slide, self.tick, self.semantics = window, slide, tick, semantics
        self.weights, self.seed = weights, seed

    def check(self) -> None:
        from headwater.overload.updates import Settings

        Settings(self.policy, self.cost, self.horizon, 1.0 if self.keep is None else self.keep, self.seed)
        if self.slide is not None and self.window is None:
            raise InputError("HW634", "--slide needs --window", hint="For example: --window 10 --slide 2")
        if self.window is not None and self.weights is not None:
            raise InputError("HW637", "--weights does not apply to windows", hint="Leave out one of the two.")
        if self.window is not None and self.policy in ("append", "shed"):
            raise InputError(
                "HW635", f'windows run on an update queue; "{self.policy}" is not one',
                hint="Choose fifo, inplace, linecut or best.",
            )  # fmt: skip

    def run(self, with_profile: bool) -> tuple[Outcome, Profile | None]:
        from headwater.overload.updates import Settings, WindowSpec, simulate, simulate_windows
        from headwater.overload.updates.queue.cells import KeyIndex
        from headwater.overload.updates.simulation.staleness import Profile
        from headwater.overload.updates.simulation.trace import read_trace, read_weights

        spec = None
        if self.window is not None:
            slide = self.window if self.slide is None else self.slide
            spec = WindowSpec(self.window, slide, min(self.tick, self.window))
        weights: dict[Any, float] = dict(read_weights(self.weights)) if self.weights is not None else {}
        horizon, keep = self._extent(with_profile)
        profile = Profile(horizon) if with_profile and horizon is not None else None
        index = KeyIndex()
        chunks = read_trace(self.trace, index)
        if spec is not None:
            return (
                simulate_windows(chunks, spec, self.semantics, self.cost, self.policy, horizon, profile),
                profile,
            )
        settings = Settings(self.policy, self.cost, horizon, keep, self.seed)
        return simulate(chunks, settings, weights=weights, index=index, profile=profile), profile

    def _extent(self, with_profile: bool) -> tuple[float | None, float]:
        """The horizon and what shed keeps: a first pass over the file where they must be known before."""
        from headwater.overload.updates.simulation.trace import measure_trace

        keep = 1.0 if self.keep is None else self.keep
        guess_keep = self.policy == "shed" and self.keep is None
        ahead = self.policy in ("append", "shed") or with_profile
        if not guess_keep and (self.horizon is not None or not ahead):
            return self.horizon, keep
        extent = measure_trace(self.trace)
        horizon = (extent.last_at or None) if self.horizon is None else self.horizon
        if guess_keep and self.cost > 0:
            keep = min(1.0, extent.last_at / (extent.updates * self.cost))
        return horizon, keep


def _fields(outcome: Outcome) -> dict[str, object]:
    return {
        "policy": outcome.policy,
        "application_staleness": outcome.application_staleness,
        "queue_staleness": outcome.queue_staleness,
        "weighted_staleness": outcome.staleness.weighted(),
        "updates": outcome.updates,
        "processed": outcome.processed,
        "skipped": outcome.skipped,
        "keys": outcome.keys,
        "horizon": outcome.horizon,
        "memory": {
            "pages_peak": outcome.memory.pages_peak,
            "bytes_peak": outcome.memory.bytes_peak,
            "effective_use": outcome.memory.effective_use,
            "pages_mean": outcome.memory.pages_mean,
        },
    }


def _print(outcome: Outcome) -> None:
    memory = outcome.memory
    rows = [
        ("application staleness", f"{outcome.application_staleness:.6g} s"),
        ("queue staleness", f"{outcome.queue_staleness:.6g} s"),
        ("updates", f"{outcome.updates:,}"),
        ("processed", f"{outcome.processed:,}"),
        ("skipped", f"{outcome.skipped:,}"),
        ("keys", f"{outcome.keys:,}"),
        ("horizon", f"{outcome.horizon:g} s"),
        ("memory at the peak", f"{memory.pages_peak:,} pages, {memory.bytes_peak:,} bytes"),
        ("effective use", f"{memory.effective_use:.1%}"),
    ]
    print_table(f"Updates under {outcome.policy}", ["what", "value"], rows, right=["value"])


def _draw(path: Path, outcome: Outcome, profile: Profile) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    times, total = profile.means()
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.fill_between(times, total / outcome.keys, alpha=0.25, linewidth=0)
    axes.plot(times, total / outcome.keys, linewidth=1.4)
    mean = outcome.application_staleness
    axes.axhline(mean, color="0.35", linestyle="--", linewidth=1, label=f"average {mean:.4g} s")
    axes.set(xlabel="time (s)", ylabel="staleness (s), mean of all keys", ylim=(0, None))
    axes.set_title(f"{outcome.policy}: {outcome.keys:,} keys, {outcome.updates:,} updates", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path)
