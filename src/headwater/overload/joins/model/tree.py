"""Join trees: which streams are joined in which order.

    [["A", "B"], "C"]   ->   Join(Join(Leaf("A"), Leaf("B")), Leaf("C"))

A node is named by its streams, sorted and concatenated, so the state that holds the output of A join B is
"AB" however the tree is turned.  Every stream occurs once: in a self-join the copies have different names.
Trees may be linear, bushy or anything between; nothing here depends on the shape.  Cost: one walk each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Join", "Leaf", "Node", "bushy", "joins", "leaves", "linear", "name", "nodes", "ordered_leaves"]


@dataclass(frozen=True, slots=True)
class Leaf:
    stream: str


@dataclass(frozen=True, slots=True)
class Join:
    left: Node
    right: Node


Node = Leaf | Join


def leaves(node: Node) -> frozenset[str]:
    """The streams below a node."""
    return frozenset(ordered_leaves(node))


def ordered_leaves(node: Node) -> tuple[str, ...]:
    """The streams below a node, left to right."""
    match node:
        case Leaf(stream):
            return (stream,)
        case Join(left, right):
            return ordered_leaves(left) + ordered_leaves(right)


def name(node: Node) -> str:
    """A node's name: its streams, sorted and concatenated."""
    return "".join(sorted(ordered_leaves(node)))


def nodes(node: Node) -> Iterator[Node]:
    """Every node, children before parents."""
    if isinstance(node, Join):
        yield from nodes(node.left)
        yield from nodes(node.right)
    yield node


def joins(node: Node) -> Iterator[Join]:
    """Every join, children before parents."""
    return (child for child in nodes(node) if isinstance(child, Join))


def linear(*streams: str) -> Node:
    """(((A join B) join C) join ...): a left-deep tree."""
    tree: Node = Leaf(streams[0])
    for stream in streams[1:]:
        tree = Join(tree, Leaf(stream))
    return tree


def bushy(*streams: str) -> Node:
    """A balanced tree over the streams in order."""
    if len(streams) == 1:
        return Leaf(streams[0])
    middle = (len(streams) + 1) // 2
    return Join(bushy(*streams[:middle]), bushy(*streams[middle:]))
