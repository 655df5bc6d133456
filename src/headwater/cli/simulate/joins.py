"""`headwater simulate joins FILE`: what a policy would do with a join plan that has too little CPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.input.files import read_text, write_text
from headwater.cli.show.output import console, print_json, print_table
from headwater.errors import InputError

if TYPE_CHECKING:
    from headwater.overload.joins import Decision, Problem

__all__ = ["simulate_joins"]


def simulate_joins(
    file: Annotated[Path, typer.Argument(help="The plan: a JSON file, or - for standard input.")],
    policy: Annotated[
        str,
        typer.Option(
            help="equal, global-ratio, equal-best, selectivity-best, grepp, jaqpot or optimal.",
            show_default=True,
        ),
    ] = "optimal",
    tuples: Annotated[bool, typer.Option("--tuples", help="Run real tuples through the plan.")] = False,
    seconds: Annotated[float, typer.Option("--for", help="With --tuples: simulated seconds.")] = 60.0,
    seed: Annotated[int, typer.Option("--seed", help="With --tuples: the seed of all draws.")] = 0,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the plan with its allowances here.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Decide which half-way joins get the CPU, for the most results and only fresh ones.

    Exit status 1 if freshness is not kept; the answer then says what would keep it.

    Examples:

        headwater simulate joins plan.json

        headwater simulate joins plan.json --policy jaqpot --json

        headwater simulate joins plan.json --tuples --for 60 --seed 1

        headwater simulate joins plan.json --svg plan.svg
    """
    from headwater.overload.joins import decide, draw, report

    problem = _read(file)
    if seconds <= 0:
        raise InputError("HW001", "--for must be longer than 0 s", hint="Write for example --for 60.")
    decision = decide(problem, policy)
    answer = report(problem, decision)
    if tuples:
        answer["tuples"] = _tuples(problem, decision, seconds, seed)
    if svg is not None:
        write_text(svg, draw(problem, decision))
    if as_json:
        print_json(answer)
    else:
        _show(answer)
    if not decision.feasible:
        raise typer.Exit(1)


def _read(file: Path) -> Problem:
    from headwater.overload.joins import parse_problem

    return parse_problem(read_text(file), "standard input" if str(file) == "-" else str(file))


def _tuples(problem: Problem, decision: Decision, seconds: float, seed: int) -> dict[str, Any]:
    from headwater.overload.joins import try_tuples

    trial = try_tuples(problem, decision, seconds, seed)
    return {
        "seconds": trial.seconds,
        "seed": seed,
        "results": trial.results,
        "stale": trial.stale[0],
        "kept_back": trial.kept_back,
        "throughput": trial.throughput,
        "predicted": trial.predicted,
        "error": trial.error,
        "probes_per_second": trial.probes / trial.seconds,
    }


def _show(answer: dict[str, Any]) -> None:
    kept = "freshness is kept" if answer["feasible"] else "freshness is NOT kept"
    console().print(
        f"{answer['policy']}: {answer['throughput']:,.6g} results a second, "
        f"{answer['resources_used']:,.6g} of {answer['resources']:,.6g} probes a second used, "
        f"{answer['resources_for_freshness']:,.6g} for freshness; {kept}"
    )
    if "infeasible" in answer:
        console().print(answer["infeasible"]["message"])
        effort = answer["best_effort"]
        console().print(
            f"Without probing {', '.join(effort['given_up']) or 'nothing less'}: "
            f"{effort['throughput']:,.6g} fresh results a second"
        )
    print_table(
        "Input paths",
        ["stream", "productivity", "resources", "probes a second at each hop"],
        [
            (
                path["stream"],
                f"{path['productivity']:.4g}",
                f"{path['resources']:,.6g}",
                ", ".join(
                    f"{state} {allowance:,.6g}"
                    for state, allowance in zip(path["states"], path["allowances"], strict=True)
                ),
            )
            for path in answer["paths"]
        ],
        right=["productivity", "resources"],
    )
    if answer["states"]:
        _show_states(answer["states"])
    if "tuples" in answer:
        _show_tuples(answer["tuples"])


def _show_states(states: list[dict[str, Any]]) -> None:
    def rate(value: float | None) -> str:
        return "no limit" if value is None else f"{value:,.6g}"

    rows = [(state["name"], rate(state["refresh_needed"]), rate(state["refresh_given"])) for state in states]
    print_table("States, tuples a second", ["state", "needed", "given"], rows, right=["needed", "given"])


def _show_tuples(counted: dict[str, Any]) -> None:
    print_table(
        f"Real tuples, {counted['seconds']:g} s, seed {counted['seed']}",
        ["results", "stale", "kept back as stale", "results a second", "predicted", "difference"],
        [
            (
                f"{counted['results']:,}",
                f"{counted['stale']:,}",
                f"{counted['kept_back']:,}",
                f"{counted['throughput']:,.6g}",
                f"{counted['predicted']:,.6g}",
                f"{counted['error']:+.2%}",
            )
        ],
        right=["results", "stale", "kept back as stale", "results a second", "predicted", "difference"],
    )
