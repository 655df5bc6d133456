"""Read a problem from JSON, or say clearly what is wrong with it.

    {"tree": [["A", "B"], "C"],
     "streams": {"A": {"rate": 500}, "B": {"rate": 700}, "C": {"rate": null}},
     "states": {"A": {"size": 5000, "selectivity": 0.001}, "B": {...}, "AB": {...}, "C": {...}},
     "resources": 300,
     "refresh": {"AB": 10.0}, "tolerance": {"A": 12.0}}

A state may have `"window": seconds` in place of a size.  A stream may be `{"copy_of": "A"}`, for a
self-join: it has the rate of A, and A's state unless it has its own.  The root has no state; one that is
given is ignored.  Every message names what is wrong; nothing is guessed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from headwater.errors import InputError, Place, did_you_mean
from headwater.overload.joins.model.join_plan import JoinPlan, State
from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.model.tree import Join, Leaf, Node, joins, name, nodes, ordered_leaves

__all__ = ["parse_problem", "read_problem"]

_KEYS = ("tree", "streams", "states", "resources", "refresh", "tolerance", "name", "comment")


def parse_problem(text: str, path: str = "input") -> Problem:
    """A problem from the text of a JSON file."""
    try:
        loaded = json.loads(text)
    except json.JSONDecodeError as error:
        place = Place.at(path, text, error.pos)
        raise InputError("HW702", f"{path} is not JSON: {error.msg}", place=place) from None
    except RecursionError:
        raise InputError("HW702", f"{path} is nested too deeply to be a plan") from None
    return read_problem(_object(loaded, "the input"))


def read_problem(data: Mapping[str, Any]) -> Problem:
    """A problem from decoded JSON."""
    _check_keys(data, _KEYS, "key", "the input")
    for key in ("tree", "streams", "states", "resources"):
        if key not in data:
            raise InputError("HW703", f'"{key}" is missing', hint=f'Add "{key}" to the input.')
    tree = _tree(data["tree"])
    rates = _rates(tree, _object(data["streams"], '"streams"'))
    plan = JoinPlan(tree, rates, {})
    streams = data["streams"].items()
    copies = {stream: about["copy_of"] for stream, about in streams if "copy_of" in about}
    states = _states(plan, _object(data["states"], '"states"'), copies)
    plan = JoinPlan(tree, rates, states)
    resources = _number(data["resources"], '"resources"')
    if resources <= 0:
        raise InputError(
            "HW704",
            f"resources are {resources:g}: nothing could be processed",
            hint="Give the probes a second that the CPU can do, above zero.",
        )
    refresh = _refresh(plan, _object(data.get("refresh") or {}, '"refresh"'))
    return Problem(
        plan, resources, refresh, _tolerance(plan, _object(data.get("tolerance") or {}, '"tolerance"'))
    )


def _tree(data: Any) -> Node:
    tree = _node(data)
    if isinstance(tree, Leaf):
        raise InputError("HW705", "the tree is a single stream: there is nothing to join")
    streams = ordered_leaves(tree)
    for stream in streams:
        if streams.count(stream) > 1:
            raise InputError(
                "HW706",
                f'the tree has stream "{stream}" twice',
                hint='For a self-join, name the copies apart and give {"copy_of": "'
                + stream
                + '"} as their stream.',
            )
    names = [name(node) for node in nodes(tree)]
    for state in names:
        if names.count(state) > 1:
            raise InputError(
                "HW707",
                f'two states would both be called "{state}"',
                hint="Rename a stream so that they differ.",
            )
    return tree


def _node(data: Any, depth: int = 0) -> Node:
    match data:
        case str() if data:
            return Leaf(data)
        case [left, right] if depth < 200:
            return Join(_node(left, depth + 1), _node(right, depth + 1))
        case list():
            raise InputError(
                "HW708", f"a join has {len(data)} inputs", hint='A tree is made of pairs: [["A", "B"], "C"].'
            )
        case _:
            raise InputError("HW708", f"{json.dumps(data)} is neither a stream nor a pair in the tree")


def _rates(tree: Node, data: Mapping[str, Any]) -> dict[str, float | None]:
    streams = ordered_leaves(tree)
    _check_keys(data, streams, "stream", '"streams"')
    for stream in streams:
        if stream not in data:
            raise InputError("HW709", f'stream "{stream}" of the tree is not in "streams"')
    return {stream: _rate(stream, data) for stream in streams}


def _rate(stream: str, data: Mapping[str, Any]) -> float | None:
    about = _object(data[stream], f'stream "{stream}"')
    _check_keys(about, ("rate", "copy_of"), "key", f'stream "{stream}"')
    original = about.get("copy_of")
    if original is not None and "rate" not in about:
        if original not in data or "copy_of" in data[original]:
            raise InputError(
                "HW710", f'stream "{stream}" is a copy of "{original}", which is not a stream here'
            )
        return _rate(original, data)
    if "rate" not in about:
        raise InputError(
            "HW711",
            f'stream "{stream}" has no rate',
            hint='Give "rate" in tuples a second, or null for no cap.',
        )
    return None if about["rate"] is None else _at_least_zero(about["rate"], f'the rate of stream "{stream}"')


def _states(plan: JoinPlan, data: Mapping[str, Any], copies: Mapping[str, str]) -> dict[str, State]:
    needed = [name(node) for node in nodes(plan.tree)]
    _check_keys(data, needed, "state", '"states"')
    states: dict[str, State] = {}
    filling: dict[str, float] = {}
    for own in needed[:-1]:
        source = own if own in data else copies.get(own, own)
        if source not in data:
            kind = "stream" if own in plan.rates else "join"
            raise InputError(
                "HW712",
                f'{kind} "{own}" has no state',
                hint=f'Add "{own}" with a size and a selectivity to "states".',
            )
        states[own] = _state(plan, own, _object(data[source], f'state "{source}"'), states, filling)
    return states


def _state(
    plan: JoinPlan, own: str, about: Mapping[str, Any], below: Mapping[str, State], filling: dict[str, float]
) -> State:
    _check_keys(about, ("size", "selectivity", "window"), "key", f'state "{own}"')
    if "selectivity" not in about:
        raise InputError("HW713", f'state "{own}" has no selectivity')
    selectivity = _at_least_zero(about["selectivity"], f'the selectivity of state "{own}"')
    if selectivity > 1:
        raise InputError("HW714", f'the selectivity of state "{own}" is {selectivity:g}, above 1')
    if ("size" in about) == ("window" in about):
        raise InputError(
            "HW715", f'state "{own}" needs a size in tuples or a window in seconds, and not both'
        )
    if "size" in about:
        return State(_above_zero(about["size"], f'the size of state "{own}"'), selectivity)
    window = _above_zero(about["window"], f'the window of state "{own}"')
    return State(_filling(plan, own, below) * window, selectivity, window)


def _filling(plan: JoinPlan, own: str, states: Mapping[str, State]) -> float:
    """Tuples per second into a node without overload; the size of a time window follows from it."""
    if own in plan.rates:
        rate = plan.rates[own]
        if rate is None:
            raise InputError(
                "HW716",
                f'stream "{own}" has a time window but no rate: its size is unknown',
                hint="Give the stream a rate, or the state a size.",
            )
        return rate
    left, right = next((name(j.left), name(j.right)) for j in joins(plan.tree) if name(j) == own)
    return (
        _filling(plan, left, states) * states[right].productivity
        + _filling(plan, right, states) * states[left].productivity
    )


def _refresh(plan: JoinPlan, data: Mapping[str, Any]) -> dict[str, float]:
    _check_keys(data, tuple(plan.states), "state", '"refresh"')
    return {state: _at_least_zero(rate, f'the refresh rate of "{state}"') for state, rate in data.items()}


def _tolerance(plan: JoinPlan, data: Mapping[str, Any]) -> dict[str, float]:
    _check_keys(data, plan.streams, "stream", '"tolerance"')
    tolerance = {stream: _above_zero(value, f'the tolerance of "{stream}"') for stream, value in data.items()}
    for stream, seconds in tolerance.items():
        window = plan.window(stream)
        if seconds < window * (1 - 1e-9):
            raise InputError(
                "HW717",
                f'the tolerance of stream "{stream}" is {seconds:g} s, below its window of {window:g} s',
                detail="A tuple may join for as long as it is in its window, so results can be that old.",
                hint=f"Give a tolerance above {window:g} s, or a smaller window.",
            )
    return tolerance


def _object(data: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InputError("HW718", f"{what} must be an object, not {json.dumps(data)[:60]}")
    return data


def _check_keys(data: Mapping[str, Any], allowed: tuple[str, ...] | list[str], kind: str, where: str) -> None:
    for key in data:
        if key not in allowed:
            hint = did_you_mean(key, allowed) or f"Known here: {', '.join(allowed)}."
            raise InputError("HW719", f'{where} has an unknown {kind} "{key}"', hint=hint)


def _number(data: Any, what: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
        raise InputError("HW720", f"{what} must be a number, not {json.dumps(data)[:60]}")
    return float(data)


def _at_least_zero(data: Any, what: str) -> float:
    value = _number(data, what)
    if value < 0:
        raise InputError("HW721", f"{what} is {value:g}, below zero")
    return value


def _above_zero(data: Any, what: str) -> float:
    value = _number(data, what)
    if value <= 0:
        raise InputError("HW721", f"{what} is {value:g}; it must be above zero")
    return value
