"""Draw woven trees: the edges of each view's windows, and the fragments that they share."""

from __future__ import annotations

import re
from math import gcd

from headwater.planning.weaving.decide import as_query, lengths
from headwater.planning.weaving.weave import Woven
from headwater.planning.windows.model import CostModel, Node, NodeTrees, Weave, tree_of
from headwater.planning.windows.picture import trees_svg
from headwater.units import SECOND

__all__ = ["below_each_other", "woven_svg"]


def woven_svg(woven: Woven) -> str:
    """The trees that have windows; lengths are in seconds, or in parts of one if windows need them."""
    members = [member for tree in woven.trees for member in tree.tree.members if member.grouping.window]
    if not members:
        return ""
    unit = gcd(SECOND, *(part for member in members for part in lengths(member)))
    cost = CostModel(0.0, SECOND // unit)
    nodes = []
    for tree in woven.trees:
        queries = [as_query(member, unit) for member in tree.tree.members if member.grouping.window]
        if queries:
            nodes.append(NodeTrees(Node(f"{tree.stage} at {tree.site}"), (tree_of(queries),), tree.cost))
    return trees_svg(Weave(cost, tuple(nodes)))


def below_each_other(upper: str, lower: str) -> str:
    """Two pictures as one."""
    if not lower:
        return upper
    (width, height), (wide, high) = (_size(picture) for picture in (upper, lower))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(width, wide):g}" height="{height + high:g}">'
    moved = lower.replace("<svg ", f'<svg y="{height:g}" ', 1)
    return f"{head}\n{upper}{moved}</svg>\n"


def _size(picture: str) -> tuple[float, float]:
    width, height = (re.search(rf'<svg [^>]*\b{name}="([\d.]+)"', picture) for name in ("width", "height"))
    assert width is not None
    assert height is not None
    return float(width[1]), float(height[1])
