"""Read a workload from JSON, with one clear message for whatever is wrong.

    {"rate": 100,
     "nodes": 4,                                          or [{"name": "n1", "capacity": 2.0}, ...]
     "queries": [{"id": "q1", "range": 6, "slide": 2}, ...]}

Ranges and slides are positive integers of one unit (the unit that `rate` is per), or interval strings
('500 ms'); as soon as one is an interval the unit is the second.  Inside, all are integer ticks, the
coarsest that make every length whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite, lcm
from typing import Any

from headwater.errors import InputError, Place
from headwater.planning.windows.intervals import seconds_of
from headwater.planning.windows.model import CostModel, Node, Query, Workload

__all__ = ["parse_workload", "workload_of"]

SHAPE = 'Expected {"rate": 100, "nodes": 4, "queries": [{"id": "q1", "range": 6, "slide": 2}]}.'


def parse_workload(text: str, path: str = "input") -> Workload:
    """The workload of a JSON text."""
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        place = Place.at(path, text, error.pos)
        raise InputError("HW502", f"{path} is not JSON: {error.msg}", place=place, hint=SHAPE) from None
    except RecursionError:
        raise InputError("HW502", f"{path} is not JSON we can read: nested too deeply", hint=SHAPE) from None
    return workload_of(raw)


def workload_of(raw: Any) -> Workload:
    """The workload of parsed JSON."""
    if not isinstance(raw, Mapping):
        raise InputError("HW503", "a workload must be a JSON object", hint=SHAPE)
    for field in ("rate", "nodes", "queries"):
        if field not in raw:
            raise InputError("HW503", f'the workload has no "{field}"', hint=SHAPE)
    nodes = _nodes(raw["nodes"])
    queries, ticks = _queries(raw["queries"])
    return Workload(CostModel(_rate(raw["rate"]), ticks), nodes, queries)


def _number(raw: object) -> float | None:
    """A finite number, or None; true and false are not numbers."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    try:
        value = float(raw)
    except OverflowError:
        return None
    return value if isfinite(value) else None


def _rate(raw: object) -> float:
    rate = _number(raw)
    if rate is None or rate < 0:
        raise InputError(
            "HW504",
            f"the rate must be a number that is not negative, not {json.dumps(raw)}",
            hint='"rate" is how many tuples arrive per unit of time.',
        )
    return rate


def _nodes(raw: object) -> tuple[Node, ...]:
    match raw:
        case bool():
            raise _wrong_nodes(raw)
        case int() if 1 <= raw <= 1_000_000:
            return tuple(Node(f"n{number}") for number in range(1, raw + 1))
        case [_, *_]:
            nodes = tuple(_node(entry, number) for number, entry in enumerate(raw, 1))
            _unique([node.name for node in nodes], "HW506", "node")
            return nodes
        case _:
            raise _wrong_nodes(raw)


def _wrong_nodes(raw: object) -> InputError:
    what = "there are no nodes to plan for" if raw in (0, []) else "the nodes cannot be read"
    hint = 'Give a number of nodes from 1 to 1000000, or a list of {"name": "n1", "capacity": 2.0}.'
    return InputError("HW505", f'{what}: "nodes" is {json.dumps(raw)[:80]}', hint=hint)


def _node(raw: object, number: int) -> Node:
    match raw:
        case str():
            return Node(raw)
        case Mapping():
            capacity = _number(raw.get("capacity", 1.0))
            if capacity is None or capacity <= 0:
                shown = json.dumps(raw.get("capacity"))
                raise InputError("HW507", f"the capacity of node {number} must be above zero, not {shown}")
            return Node(str(raw.get("name", f"n{number}")), capacity)
        case _:
            raise InputError("HW505", f"node {number} cannot be read: {json.dumps(raw)[:80]}")


def _queries(raw: object) -> tuple[tuple[Query, ...], int]:
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        raise InputError("HW503", '"queries" must be a list', hint=SHAPE)
    lengths = [_lengths(entry, number) for number, entry in enumerate(raw, 1)]
    _unique([name for name, _, _ in lengths], "HW508", "query")
    ticks = lcm(*(length.denominator for _, *pair in lengths for length in pair)) if lengths else 1
    queries = (Query(name, int(window * ticks), int(slide * ticks)) for name, window, slide in lengths)
    return tuple(queries), ticks


def _lengths(raw: object, number: int) -> tuple[str, Fraction, Fraction]:
    if not isinstance(raw, Mapping):
        raise InputError("HW503", f"query {number} must be an object", hint=SHAPE)
    name = raw.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        raise InputError("HW503", f'query {number} needs an "id" that is a text', hint=SHAPE)
    return str(name), _length(raw, "range", str(name)), _length(raw, "slide", str(name))


def _length(raw: Mapping[str, object], field: str, name: str) -> Fraction:
    if field not in raw:
        raise InputError("HW503", f'query "{name}" has no {field}', hint=SHAPE)
    value = raw[field]
    match value:
        case bool():
            length = None
        case int():
            length = Fraction(value)
        case float() if value.is_integer():
            length = Fraction(int(value))
        case str():
            length = seconds_of(value)
        case _:
            length = None
    if length is None or length <= 0:
        raise InputError(
            "HW501",
            f'the {field} of query "{name}" must be above zero, a whole number or an interval,'
            f" not {json.dumps(value)[:80]}",
            detail="A query answers every slide, over the last range.",
            hint="Write 6, or '6 seconds', or '250 ms'.",
        )
    return length


def _unique(names: Sequence[str], code: str, kind: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(code, f'two of the {kind} names are "{name}"', hint=f"Give each {kind} its own.")
        seen.add(name)
