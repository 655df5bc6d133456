"""`headwater status`: staleness against promise, cost, violations."""

from __future__ import annotations

from dataclasses import asdict

from headwater.cli.arguments import JsonOption, ProjectFolder
from headwater.cli.output import console, print_json, print_table
from headwater.clock import instant_text

__all__ = ["status"]


def status(folder: ProjectFolder, as_json: JsonOption = False) -> None:
    """Each view's staleness against its promise, how it is refreshed and why, what it has cost.

    Example: `headwater status shop --json | jq '.views[] | {name, staleness_s, freshness_s}'`
    """
    import headwater

    found = headwater.open(str(folder)).status()
    if as_json:
        answer = asdict(found)
        for one in answer["views"] + answer["sources"]:
            one["time"] = None if one["time"] is None else instant_text(one["time"])
        answer["at"] = instant_text(found.at)
        print_json(answer)
        return
    out = console()
    if found.running is not None:
        out.print(
            f"{found.project}: kept by process {found.running.get('pid')} since {found.running.get('since')}"
        )
    else:
        out.print(f"{found.project}: not running")
    numbers = ("staleness", "freshness", "rows", "pushes", "violations", "CPU s", "dollars")
    print_table(
        "",
        ("view", *numbers, "last refresh"),
        [
            (
                one.name,
                "never computed" if one.staleness_s is None else f"{one.staleness_s:.1f} s",
                f"{one.freshness_s:g} s",
                one.rows,
                one.pushes,
                one.violations,
                f"{one.cpu_seconds:.1f}",
                f"{one.dollars:.6f}",
                "failed" if one.error else "" if one.last_push is None else one.last_push.mode,
            )
            for one in found.views
        ],
        right=numbers,
    )
    for one in found.views:
        if one.error:
            out.print(f"{one.name}: {one.error}", style="red")
    print_table(
        "",
        ("source", "from", "changes", "newest change"),
        [
            (one.name, one.provider, one.changes, "" if one.time is None else instant_text(one.time))
            for one in found.sources
        ],
        right=("changes",),
    )
