"""The JSON of `headwater bill`: its fields are a contract."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from headwater.clock import instant_text
from headwater.planning.cost.billing import Costs, grouped

if TYPE_CHECKING:
    from headwater.planning.cost.billing import Bill

__all__ = ["By", "bill_json", "bill_lines"]


class By(Enum):
    VIEW = "view"
    OWNER = "owner"
    SITE = "site"
    PROCESS = "process"


def bill_json(name: str, billed: Bill, by: By) -> dict[str, Any]:
    owners = {line.view: line.owner for line in billed.lines}
    return {
        "project": name,
        "since": instant_text(billed.since),
        "until": instant_text(billed.until),
        "by": by.value,
        "lines": [
            {by.value: key, **({"owner": owners[key]} if by is By.VIEW else {}), **_fields(costs)}
            for key, costs in bill_lines(billed, by).items()
        ],
        "total": _fields(billed.total),
        "unattributed": _fields(billed.unattributed),
        "total_with_unattributed": _fields(billed.whole),
        "processes": [
            {"process": process, "cpu_seconds": seconds} for process, seconds in billed.processes.items()
        ],
        "not_included": billed.not_included,
    }


def bill_lines(billed: Bill, by: By) -> dict[str, Costs]:
    """What the lines are about; processes share the CPU of all views and of none in proportion."""
    if by is not By.PROCESS:
        return grouped(billed, by.value)
    used, whole = sum(billed.processes.values()), billed.whole
    return {
        process: Costs(cpu=whole.cpu * seconds / used, cpu_seconds=seconds)
        for process, seconds in billed.processes.items()
        if used
    }


def _fields(costs: Costs) -> dict[str, Any]:
    return {
        "dollars": costs.dollars,
        "resource_dollars": costs.resources,
        "cpu_dollars": costs.cpu,
        "network_dollars": costs.network,
        "storage_dollars": costs.storage,
        "penalty_dollars": costs.penalty,
        "cpu_seconds": costs.cpu_seconds,
        "gb_copied": costs.gb_copied,
        "gb_months": costs.gb_months,
        "rows_moved": costs.rows_moved,
        "late_rows": costs.late_rows,
        "violations": costs.violations,
        "view_hours": costs.view_hours,
        "violations_per_view_hour": _ratio(costs.violations, costs.view_hours),
        "dollars_per_view_hour": _ratio(costs.dollars, costs.view_hours),
    }


def _ratio(number: float, hours: float) -> float | None:
    return number / hours if hours else None
