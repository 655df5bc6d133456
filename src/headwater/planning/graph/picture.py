"""Draw a global plan as SVG: a lane for each site, changes flowing from the sources at the left to the views.

    a box          a relation that is stored at the site: a source, something computed on the way, or a view
    a pill         a delta, on its way
    a gold badge   how many views it serves, where it serves more than one
    a line         what is done, by its colour and letter; along the red ones runs the critical path

More than SMALL vertices are folded (layout.py), so that a plan of hundreds can still be read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape

from headwater.planning.graph.graph import Edge, EdgeKind, PlanGraph, Vertex
from headwater.planning.graph.layout import Layout, Link, Node, fold, lay_out, unfold

__all__ = ["plan_svg"]

SMALL = 40
BOX, HEIGHT, SLOT, BETWEEN = 190, 40, 58, 76  # a box at its narrowest; what lies between two columns
LETTER, SMALL_LETTER, INSET = (
    7.4,
    5.4,
    26,
)  # widths: a letter of a name, one of the line below it, the margins
LEFT, TOP, LANE_GAP, MARGIN = 128, 92, 18, 28
LEGEND = 1_320  # its width with every kind of edge
INK, SOFT, PAPER, LANE, LANE_EDGE = "#1f2933", "#627282", "#ffffff", "#f6f8fa", "#dde4ea"
CRITICAL, GOLD = "#d6336c", "#e6a700"
# What a box is -> fill and edge.
FILLS = {
    "source": ("#e8eef4", "#8aa0b4"),
    "relation": ("#fdf6e3", "#c9a227"),
    "delta": ("#ffffff", "#b4c0cb"),
    "view": ("#dff3e8", "#2f9e6e"),
}
# Edge kind -> colour, letter.
STROKES = {
    EdgeKind.CAPTURE: ("#b4c0cb", ""),
    EdgeKind.COPY: ("#3b82c4", "C"),
    EdgeKind.JOIN: ("#7c6cc4", "J"),
    EdgeKind.UNION: ("#8a97a3", "U"),
    EdgeKind.APPLY: ("#8a97a3", "A"),
    EdgeKind.AGGREGATE: ("#2f9e6e", "G"),
    EdgeKind.COMPUTE: ("#2f9e6e", "T"),
}
NAMES = {
    EdgeKind.COPY: "copy to a site",
    EdgeKind.JOIN: "join a delta with a relation",
    EdgeKind.UNION: "unite changes",
    EdgeKind.APPLY: "apply a delta",
    EdgeKind.AGGREGATE: "aggregate",
    EdgeKind.COMPUTE: "compute the rest of the view",
}


def plan_svg(
    title: str,
    graph: PlanGraph,
    views: Mapping[Vertex, Sequence[str]],
    critical: Collection[Edge] = (),
    subtitle: str = "",
    folded: bool | None = None,
) -> str:
    """The picture. `views` says which views each vertex is; `critical` are the edges to mark."""
    small = len(graph.vertices) <= SMALL if folded is None else not folded
    nodes, links = (unfold if small else fold)(graph, critical)
    layout = lay_out(nodes, links)
    picture = _Picture(layout, views)
    width, height = picture.width, picture.height
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}" font-family="system-ui, sans-serif">'
    )
    body = (
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        _text(MARGIN, 38, title, INK, 19, bold=True),
        _text(MARGIN, 58, subtitle, SOFT, 12),
        *_legend(layout, bool(critical), small),
        *picture.draw(),
    )
    return "\n".join((head, *body, "</svg>\n"))


class _Picture:
    """Slots and columns as points."""

    def __init__(self, layout: Layout, views: Mapping[Vertex, Sequence[str]]) -> None:
        self.layout = layout
        self.views = views
        self.columns = 1 + max((column for column, _ in layout.positions.values()), default=0)
        self.lane_of = {
            slot: number
            for number, (first, count) in enumerate(layout.lanes.values())
            for slot in range(first, first + count)
        }
        self.taken = set(layout.positions.values())
        self.box = max([BOX, *(_name_width(node, views) for node in layout.positions)])
        self.column = self.box + BETWEEN
        # Never narrower than the legend.
        self.width = max(LEFT + (self.columns - 1) * self.column + self.box + 2 * MARGIN, LEGEND)
        self.height = self._top(len(self.lane_of) - 1) + SLOT + LANE_GAP + MARGIN

    def draw(self) -> Iterator[str]:
        yield from self._lanes()
        links = sorted(self.layout.links, key=lambda link: link.critical)
        lines = [(link, *self._route(link, number)) for number, link in enumerate(links)]
        for link, path, _ in lines:
            yield self._line(link, path)
        for node in self.layout.positions:
            yield from self._box(node)
        for link, _, (x, y) in lines:
            yield from _letter(link, x, y)

    def _top(self, slot: int) -> float:
        """The upper edge of a slot."""
        return TOP + slot * SLOT + self.lane_of.get(slot, 0) * LANE_GAP

    def _point(self, node: Node) -> tuple[float, float]:
        column, slot = self.layout.positions[node]
        return LEFT + column * self.column, self._top(slot) + (SLOT - HEIGHT) / 2

    def _lanes(self) -> Iterator[str]:
        for site, (first, count) in self.layout.lanes.items():
            top, height = self._top(first), count * SLOT
            yield (
                f'<rect x="{MARGIN / 2:g}" y="{top:g}" width="{self.width - MARGIN:g}" height="{height:g}"'
                f' rx="10" fill="{LANE}" stroke="{LANE_EDGE}"/>'
            )
            yield _text(MARGIN, top + height / 2 + 5, _short(site, 12), INK, 14, bold=True)

    def _route(self, link: Link, number: int) -> tuple[str, tuple[float, float]]:
        """The path from box to box, around the boxes in between, and the point for its letter."""
        (x1, y1), (x2, y2) = self._point(link.source), self._point(link.target)
        x1, y1, y2 = x1 + self.box, y1 + HEIGHT / 2, y2 + HEIGHT / 2
        path, x, y = f"M{x1:g},{y1:g}", x1, y1
        for column in range(self.layout.positions[link.source][0] + 1, self.layout.positions[link.target][0]):
            left = LEFT + column * self.column
            straight = y1 + (y2 - y1) * (left + self.box / 2 - x1) / (x2 - x1)
            gap = self._gap(column, straight) + (number % 5 - 2) * 1.6
            path += _bend(x, y, left, gap) + f" L{left + self.box:g},{gap:g}"
            x, y = left + self.box, gap
        return path + _bend(x, y, x2, y2), ((x + x2) / 2, (y + y2) / 2)

    def _gap(self, column: int, y: float) -> float:
        """The nearest height at which a line runs through a column and meets no box."""
        slots = range(len(self.lane_of))
        gaps = [self._top(slot) for slot in slots] + [self._top(slots[-1]) + SLOT]
        gaps += [self._top(slot) + SLOT / 2 for slot in slots if (column, slot) not in self.taken]
        return min(gaps, key=lambda gap: abs(gap - y))

    def _line(self, link: Link, path: str) -> str:
        colour, width = (CRITICAL, 3.2) if link.critical else (STROKES[link.kind][0], 1.3)
        faint = "" if link.critical else ' stroke-opacity="0.75"'
        return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{faint}/>'

    def _box(self, node: Node) -> Iterator[str]:
        x, y = self._point(node)
        names = self.views.get(node.vertex, ())
        kind = _kind(node, names)
        fill, edge = FILLS[kind]
        corner = HEIGHT / 2 if kind == "delta" else 7
        above, below = _lines(node, names)
        yield (
            f'<rect x="{x:g}" y="{y:g}" width="{self.box:g}" height="{HEIGHT}" rx="{corner:g}"'
            f' fill="{fill}" stroke="{edge}" stroke-width="1.4">'
            f"<title>{escape(f'{above}: {below}', quote=False)}</title></rect>"
        )
        inset = 16 if kind == "delta" else 10
        room = self.box - INSET
        yield _text(x + inset, y + 17, _short(above, int(room / LETTER)), INK, 12, bold=kind != "delta")
        yield _text(x + inset, y + 31, _short(below, int(room / SMALL_LETTER)), SOFT, 10)
        if len(node.views) > 1:
            yield f'<circle cx="{x + self.box - 4:g}" cy="{y + 3:g}" r="10" fill="{GOLD}" stroke="{PAPER}"/>'
            yield _text(x + self.box - 4, y + 7, str(len(node.views)), PAPER, 11, bold=True, middle=True)


def _name_width(node: Node, views: Mapping[Vertex, Sequence[str]]) -> float:
    """What the names of a source or of views need; what is computed on the way may be cut."""
    names = views.get(node.vertex, ()) or ((node.vertex.relation.text,) if _is_source(node.vertex) else ())
    return len(", ".join(names)) * LETTER + INSET


def _kind(node: Node, names: Sequence[str]) -> str:
    if names:
        return "view"
    if node.vertex.delta:
        return "delta"
    return "source" if any(map(_is_source, node.members)) else "relation"


def _is_source(vertex: Vertex) -> bool:
    return vertex.relation.is_base and not vertex.delta


def _lines(node: Node, names: Sequence[str]) -> tuple[str, str]:
    """What stands in a box."""
    vertex = node.vertex
    text = vertex.relation.text.replace(" * ", " ⋈ ")
    if names:
        return ", ".join(names), text
    if vertex.driven is not None:
        return f"Δ {text}", f"driven by Δ {vertex.driven.text.replace(' * ', ' ⋈ ')}"
    if vertex.delta:
        return f"Δ {text}", "changes"
    return text, "relation" if len(node.members) == 1 else "relation and its changes"


def _legend(layout: Layout, critical: bool, small: bool) -> Iterator[str]:
    x = float(MARGIN)
    labels = {"source": "relation at a site", "delta": "changes on their way", "view": "view"}
    for kind, label in labels.items():
        fill, edge = FILLS["relation" if kind == "source" else kind]
        if kind != "delta" or small:
            corner = 6 if kind == "delta" else 3
            colours = f'fill="{fill}" stroke="{edge}"'
            yield f'<rect x="{x:g}" y="70" width="18" height="12" rx="{corner}" {colours}/>'
            yield _text(x + 24, 80, label, SOFT, 11)
            x += 42 + 6.1 * len(label)
    yield f'<circle cx="{x + 8:g}" cy="76" r="8" fill="{GOLD}"/>'
    yield _text(x + 8, 80, "3", PAPER, 10, bold=True, middle=True)
    yield _text(x + 22, 80, "views that share it", SOFT, 11)
    x += 182
    used = {link.kind for link in layout.links}
    lines = [(*STROKES[kind], label, 1.8) for kind, label in NAMES.items() if kind in used]
    if critical:
        lines.append((CRITICAL, "", "critical path", 3.2))
    for colour, letter, label, width in lines:
        yield f'<line x1="{x:g}" y1="76" x2="{x + 26:g}" y2="76" stroke="{colour}" stroke-width="{width}"/>'
        if letter:
            yield from _disc(x + 13, 76, letter, colour)
        yield _text(x + 33, 80, label, SOFT, 11)
        x += 52 + 6.1 * len(label)


def _letter(link: Link, x: float, y: float) -> Iterator[str]:
    colour, letter = STROKES[link.kind]
    if letter:
        yield from _disc(x, y, letter, CRITICAL if link.critical else colour)


def _disc(x: float, y: float, letter: str, colour: str) -> Iterator[str]:
    yield f'<circle cx="{x:g}" cy="{y:g}" r="6.5" fill="{PAPER}" stroke="{colour}" stroke-width="1.2"/>'
    yield _text(x, y + 3.2, letter, colour, 8.5, bold=True, middle=True)


def _bend(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = (x1 + x2) / 2
    return f" C{middle:g},{y1:g} {middle:g},{y2:g} {x2:g},{y2:g}"


def _text(
    x: float, y: float, text: str, fill: str, size: float, bold: bool = False, middle: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    anchor = ' text-anchor="middle"' if middle else ""
    shown = escape(text, quote=False)
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" font-size="{size:g}"{weight}{anchor}>{shown}</text>'


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
