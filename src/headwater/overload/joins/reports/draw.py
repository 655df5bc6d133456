"""Draw a join plan with its allowances as SVG: joins as circles, states as boxes, probes as edges.

Every edge is labelled with the probes per second of its half-way join, and is as wide as its share of them.
Every state shows what enters it against what it needs; one that gets too little is red.  Cost: one walk of
the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape

from headwater.overload.joins.model.problem import Problem
from headwater.overload.joins.model.tree import Join, Node, name
from headwater.overload.joins.policies.by_name import Decision

__all__ = ["draw"]

_COLUMN, _ROW, _MARGIN = 190, 130, 70
_TITLE_AT, _LETTER = 20, 10  # where the title begins, and how wide its letters are at most
_INK, _SOFT, _GOOD, _BAD = "#1f2933", "#7b8794", "#2f6f9f", "#c0392b"


@dataclass(frozen=True, slots=True)
class _Spot:
    x: float
    y: float


def _depth(node: Node) -> int:
    return 1 + max(_depth(node.left), _depth(node.right)) if isinstance(node, Join) else 0


def _lay_out(node: Node, height: int, column: int, spots: dict[str, _Spot]) -> int:
    """Leaves from left to right, joins above the middle of their inputs; returns the next column."""
    y = _MARGIN + 40 + (height - _depth(node)) * _ROW
    if not isinstance(node, Join):
        spots[name(node)] = _Spot(_MARGIN + 40 + column * _COLUMN, y)
        return column + 1
    column = _lay_out(node.right, height, _lay_out(node.left, height, column, spots), spots)
    left, right = spots[name(node.left)], spots[name(node.right)]
    spots[name(node)] = _Spot((left.x + right.x) / 2, y)
    return column


def _text(
    x: float,
    y: float,
    words: str,
    size: int = 13,
    colour: str = _INK,
    weight: str = "400",
    anchor: str = "middle",
) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}" paint-order="stroke" stroke="white" stroke-width="5">{escape(words)}</text>'
    )


def _edge(problem: Problem, decision: Decision, own: str, spots: dict[str, _Spot]) -> list[str]:
    start, end = spots[own], spots[problem.plan.parents[own]]
    probes = decision.allocation.half_ways[own]
    width = 1 + 9 * probes / problem.resources
    colour = _GOOD if probes > 0 else "#cbd2d9"
    line = (
        f'<line x1="{start.x:.0f}" y1="{start.y - 20:.0f}" x2="{end.x:.0f}" y2="{end.y + 22:.0f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}" stroke-linecap="round"/>'
    )
    middle = _Spot((start.x + end.x) / 2, (start.y + end.y) / 2 + 6)
    return [line, _text(middle.x, middle.y, f"{probes:,.6g}/s", 13, _INK, "600")]


def _box(problem: Problem, decision: Decision, own: str, spot: _Spot, names: Mapping[str, str]) -> list[str]:
    state, needed = problem.plan.states[own], problem.needed.get(own, 0.0)
    given = decision.allocation.entering.get(own)
    lacking = given is not None and given < needed * (1 - 1e-9)
    rate = problem.plan.rates.get(own)
    enters = (
        f"{given:,.6g}/s enter"
        if given is not None
        else ("no cap" if rate is None else f"{rate:,.6g}/s arrive")
    )
    need = f", {needed:,.6g} needed" if needed else ""
    label = " ⋈ ".join(names[stream] for stream in own) if names else own
    wide = max(52, 16 + 8 * len(label))
    box = (
        f'<rect x="{spot.x - wide / 2:.0f}" y="{spot.y - 18:.0f}" width="{wide}" height="36" rx="6" '
        'fill="white" '
        f'stroke="{_BAD if lacking else _INK}" stroke-width="2"/>'
    )
    return [
        box,
        _text(spot.x, spot.y + 5, label, 14, _BAD if lacking else _INK, "700"),
        *_caption(
            replace(spot, x=spot.x + (wide - 52) / 2) if given is not None else spot,
            given is not None,
            f"{state.size:,.6g} tuples, {state.selectivity:.4g}",
            enters + need,
            lacking,
        ),
    ]


def _caption(spot: _Spot, beside: bool, first: str, second: str, lacking: bool) -> list[str]:
    """Two lines below a stream, or beside an intermediate state, where no edge runs."""
    x, y, anchor = (spot.x + 34, spot.y - 3, "start") if beside else (spot.x, spot.y + 35, "middle")
    colour = _BAD if lacking else _SOFT
    return [_text(x, y, first, 11, _SOFT, anchor=anchor), _text(x, y + 15, second, 11, colour, anchor=anchor)]


def _root(problem: Problem, decision: Decision, spot: _Spot) -> list[str]:
    circle = f'<circle cx="{spot.x:.0f}" cy="{spot.y:.0f}" r="22" fill="{_INK}"/>'
    position = f'x="{spot.x:.0f}" y="{spot.y + 7:.0f}"'
    mark = f'<text {position} font-size="22" fill="white" text-anchor="middle">&#8904;</text>'
    results = f"{decision.allocation.throughput:,.6g} results/s"
    return [circle, mark, _text(spot.x, spot.y - 34, results, 15, _INK, "700")]


def draw(
    problem: Problem, decision: Decision, names: Mapping[str, str] | None = None, heading: str = ""
) -> str:
    """The plan under a decision, as the text of an SVG file; `names` of the streams, if they have others."""
    spots: dict[str, _Spot] = {}
    height = _depth(problem.plan.tree)
    columns = _lay_out(problem.plan.tree, height, 0, spots)
    wide, high = 2 * _MARGIN + 80 + (columns - 1) * _COLUMN, 2 * _MARGIN + 110 + height * _ROW
    parts = [part for own in problem.plan.siblings for part in _edge(problem, decision, own, spots)]
    parts += [
        part
        for own in problem.plan.siblings
        for part in _box(problem, decision, own, spots[own], names or {})
    ]
    parts += _root(problem, decision, spots[problem.plan.root])
    spent = f"{decision.resources_for_freshness:,.6g} of them for freshness"
    title = f"{heading}{decision.policy}: {problem.resources:,.6g} probes/s, {spent}"
    if not decision.feasible:
        title += " (freshness not kept)"
    wide = max(wide, 2 * _TITLE_AT + _LETTER * len(title))  # a small tree is narrower than its title
    parts.append(_text(_TITLE_AT, 34, title, 16, _INK if decision.feasible else _BAD, "700", anchor="start"))
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'font-family="Helvetica, Arial, sans-serif">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
