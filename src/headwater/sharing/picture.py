"""Draw what is kept as SVG: sources to the left, each stage one column right of all that it reads.

A box says what a relation is, how it is kept and what is promised; a line runs from what is read to what
reads it.  Within a column boxes are ordered by the middle of what they read, twice, so lines cross rarely.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from headwater.algebra.stages import Kept, StageKind
from headwater.model import View
from headwater.sharing.estimate import Estimate
from headwater.sharing.facts import Facts

__all__ = ["Box", "dag_svg"]

BOX_WIDTH, BOX_HEIGHT, GAP, COLUMN, MARGIN, TOP = 216, 58, 20, 320, 32, 76
INK, SOFT, LINE, PAPER = "#1f2933", "#627282", "#b4c0cb", "#ffffff"
# What a box is -> its fill and its edge.
COLOURS = {
    "source": ("#eef3f7", "#8aa0b4"),
    "stage": ("#fdf6e3", "#c9a227"),
    "incremental": ("#e3f4ec", "#2f9e6e"),
    "full": ("#fdeee2", "#d9742b"),
    "refused": ("#fbe5e5", "#c93a3a"),
}


@dataclass(frozen=True, slots=True)
class Box:
    """A relation in the picture: `kind` is one of COLOURS."""

    name: str
    kind: str
    lines: tuple[str, str]
    reads: tuple[str, ...] = ()
    dashed: bool = False  # only asked about

    @staticmethod
    def of_source(name: str, facts: Facts) -> Box:
        return Box(name, "source", ("source", f"{facts.rows:,.0f} rows, {facts.rate:,.3g} changes/s"))

    @staticmethod
    def of_view(view: View, kept: Kept, one: Estimate, asked: bool) -> list[Box]:
        """The view's hidden stages and the view itself."""
        boxes = []
        for stage in kept.stages:
            full = stage.kind is StageKind.SQL
            kind = "full" if full else "incremental" if stage.name == view.name else "stage"
            way = "full refresh" if full else f"incremental, {stage.kind.value}"
            reads = tuple(name for name in stage.reads if name != stage.name)
            boxes.append(Box(stage.name, kind, (way, "kept for the view"), reads, asked))
        promise = f"≤ {view.freshness.total_seconds():g} s, push {one.critical_path.total_seconds():.2f} s"
        lines = (boxes[-1].lines[0], f"{promise}, {one.dollars_per_hour:.4f} $/h")
        kind = boxes[-1].kind if one.admitted else "refused"
        way = lines[0] if one.admitted else f"REFUSED, {lines[0]}"
        return [*boxes[:-1], replace(boxes[-1], kind=kind, lines=(way, lines[1]))]


def dag_svg(title: str, boxes: Sequence[Box]) -> str:
    """The picture; boxes come after the boxes they read."""
    columns = _ordered(_columns(boxes))
    tallest = max((len(column) for column in columns), default=0)
    height = TOP + tallest * (BOX_HEIGHT + GAP) + MARGIN
    width = 2 * MARGIN + max(0, len(columns) - 1) * COLUMN + BOX_WIDTH
    places = _places(columns, tallest)
    shapes = [
        *(
            _curve(places[read], places[box.name], places.values())
            for box in boxes
            for read in box.reads
            if read in places
        ),
        *(shape for box in boxes for shape in _box(box, *places[box.name])),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif">'
    )
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    heading = _text(MARGIN, 40, title, INK, 18, bold=True)
    return "\n".join((head, paper, heading, *_legend(boxes), *shapes, "</svg>\n"))


def _columns(boxes: Sequence[Box]) -> list[list[Box]]:
    depth: dict[str, int] = {}
    for box in boxes:
        depth[box.name] = 1 + max((depth[name] for name in box.reads if name in depth), default=-1)
    columns: list[list[Box]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for box in boxes:
        columns[depth[box.name]].append(box)
    return columns


def _ordered(columns: list[list[Box]]) -> list[list[Box]]:
    """Each column by the mean position of its neighbours: of what is read, then of what reads, then again."""
    readers: dict[str, list[str]] = {}
    for column in columns:
        for box in column:
            for name in box.reads:
                readers.setdefault(name, []).append(box.name)
    for _ in range(2):
        columns = _sweep(columns, {box.name: box.reads for column in columns for box in column})
        columns = _sweep(columns[::-1], readers)[::-1]
    return columns


def _sweep(columns: list[list[Box]], near: Mapping[str, Iterable[str]]) -> list[list[Box]]:
    position: dict[str, float] = {}
    ordered = []
    for column in columns:
        middles = {box.name: _middle(near.get(box.name, ()), position) for box in column}
        kept = sorted(column, key=lambda box, middles=middles: middles[box.name])  # type: ignore[misc]
        ordered.append(kept)
        position |= {box.name: (at + 0.5) / len(kept) for at, box in enumerate(kept)}
    return ordered


def _middle(names: Iterable[str], position: Mapping[str, float]) -> float:
    found = [position[name] for name in names if name in position]
    return sum(found) / len(found) if found else 0.5


def _places(columns: Sequence[Sequence[Box]], tallest: int) -> dict[str, tuple[float, float]]:
    """The upper left corner of each box; columns are centred."""
    return {
        box.name: (
            MARGIN + number * COLUMN,
            TOP + (tallest - len(column)) * (BOX_HEIGHT + GAP) / 2 + at * (BOX_HEIGHT + GAP),
        )
        for number, column in enumerate(columns)
        for at, box in enumerate(column)
    }


def _curve(
    start: tuple[float, float], end: tuple[float, float], places: Collection[tuple[float, float]]
) -> str:
    """From box to box; columns in between are crossed through the nearest gap, so no box is run through."""
    x1, y1 = start[0] + BOX_WIDTH, start[1] + BOX_HEIGHT / 2
    x2, y2 = end[0], end[1] + BOX_HEIGHT / 2
    path, x, y = f"M{x1:g},{y1:g}", x1, y1
    between = sorted({column for column, _ in places if start[0] < column < end[0]})
    for column in between:
        direct = y1 + (y2 - y1) * (column + BOX_WIDTH / 2 - x1) / (x2 - x1)
        gap = _nearest_gap(direct, [top for at, top in places if at == column])
        path += _bend(x, y, column, gap) + f" L{column + BOX_WIDTH:g},{gap:g}"
        x, y = column + BOX_WIDTH, gap
    return f'<path d="{path}{_bend(x, y, x2, y2)}" fill="none" stroke="{LINE}" stroke-width="1.5"/>'


def _nearest_gap(y: float, tops: Sequence[float]) -> float:
    gaps = [min(tops) - GAP / 2, *(top + BOX_HEIGHT + GAP / 2 for top in tops)]
    return min(gaps, key=lambda gap: abs(gap - y))


def _bend(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (x1 + x2) / 2
    return f" C{middle:g},{y1:g} {middle:g},{y2:g} {x2:g},{y2:g}"


def _box(box: Box, x: float, y: float) -> Iterator[str]:
    fill, edge = COLOURS[box.kind]
    dashes = ' stroke-dasharray="5 4"' if box.dashed else ""
    yield (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"'
        f' fill="{fill}" stroke="{edge}" stroke-width="1.4"{dashes}/>'
    )
    yield _text(x + 12, y + 20, _short(box.name, 26), INK, 13, bold=True)
    yield _text(x + 12, y + 35, box.lines[0], SOFT, 10.5)
    yield _text(x + 12, y + 49, box.lines[1], SOFT, 10.5)


def _legend(boxes: Sequence[Box]) -> Iterator[str]:
    names = {"stage": "kept for a view", "incremental": "incremental view", "full": "full refresh"}
    kinds = [kind for kind in COLOURS if any(box.kind == kind for box in boxes)]
    x = float(MARGIN)
    for kind in kinds:
        label = names.get(kind, kind)
        fill, edge = COLOURS[kind]
        yield f'<rect x="{x:g}" y="52" width="12" height="12" rx="3" fill="{fill}" stroke="{edge}"/>'
        yield _text(x + 18, 62, label, SOFT, 11)
        x += 34 + 6.2 * len(label)


def _text(x: float, y: float, text: str, fill: str, size: float, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" font-size="{size:g}"{weight}>{escape(text)}</text>'


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
