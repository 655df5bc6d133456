"""Draw the edges of a plan's trees as SVG: one strip per tree, one row per query, and the shared cuts.

Each tree shows the ticks up to a horizon (its longest slide, twice, within limits).  A query's row has a
mark at each of its edges; the line below is the tree's own: every cut that ends a fragment.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from headwater.planning.windows.fragments import edges_between
from headwater.planning.windows.model import NodeTrees, Query, Tree, Weave, tree_of

__all__ = ["trees_svg"]

LEFT, WIDTH, ROW, GAP = 190, 720, 16, 26
MOST_ROWS, MOST_TREES, MOST_EDGES = 12, 40, 720
INK, SOFT, ACCENT, PALE = "#1f2933", "#7b8794", "#0b6e99", "#e4e9ee"


def trees_svg(plan: Weave) -> str:
    """The picture of a plan."""
    shapes: list[str] = []
    top = 40
    trees = [(node, tree) for node in plan.nodes for tree in node.trees]
    for node, tree in trees[:MOST_TREES]:
        shapes.extend(_tree(plan, node, tree, top))
        top += GAP + ROW * (min(len(tree.queries), MOST_ROWS) + 2)
    if len(trees) > MOST_TREES:
        shapes.append(_text(20, top, f"and {len(trees) - MOST_TREES} more trees", SOFT))
        top += GAP
    title = f"Total cost {plan.total_cost:,.2f}, maximum {plan.max_cost:,.2f}, {len(trees)} trees"
    size = f'width="{LEFT + WIDTH + 30}" height="{top + 10}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">'
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join((head, paper, _text(20, 24, title, INK, 14), *shapes, "</svg>\n"))


def _tree(plan: Weave, node: NodeTrees, tree: Tree, top: int) -> Iterator[str]:
    horizon = _horizon(tree)
    rate = plan.cost.edge_rate(tree)
    label = f"{node.node.name}: {len(tree.queries)} queries, edge rate {rate:.4g}, overlap {tree.overlap}"
    yield _text(20, top + 10, f"{label}, cost {plan.cost.of(tree):,.2f}", INK)
    shown = tree.queries[:MOST_ROWS]
    bottom = top + ROW * (len(shown) + 1)
    for number, query in enumerate(shown, 1):
        yield from _row(query, top + ROW * number, horizon)
    hidden = len(tree.queries) - len(shown)
    yield _text(20, bottom + 11, "shared edges" + (f" (and {hidden} more)" if hidden else ""), ACCENT)
    yield _line(LEFT, bottom + 8, LEFT + WIDTH, bottom + 8, ACCENT)
    for edge in edges_between(tree, 0, horizon):
        x = LEFT + WIDTH * edge / horizon
        yield _line(x, bottom + 2, x, bottom + 14, ACCENT)


def _row(query: Query, top: int, horizon: int) -> Iterator[str]:
    yield _text(20, top + 11, f"{query.id[:14]}  {query.range} / {query.slide}", SOFT)
    yield _line(LEFT, top + 8, LEFT + WIDTH, top + 8, PALE)
    for edge in edges_between(tree_of((query,)), 0, horizon):
        x = LEFT + WIDTH * edge / horizon
        yield _line(x, top + 4, x, top + 12, INK if edge % query.slide == 0 else SOFT)


def _horizon(tree: Tree) -> int:
    """Twice the longest slide, but not more than MOST_EDGES edges."""
    longest = 2 * max(query.slide for query in tree.queries)
    return max(1, min(longest, int(MOST_EDGES / tree.edges.density)))


def _text(x: float, y: float, text: str, fill: str, size: int = 11) -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" font-size="{size}">{escape(text, quote=False)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str) -> str:
    return f'<line x1="{x1:.2f}" y1="{y1}" x2="{x2:.2f}" y2="{y2}" stroke="{stroke}"/>'
