"""The picture of a plan: well formed, nothing runs through a box, every relation and every reading is there."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from headwater.sharing.picture import BOX_HEIGHT, BOX_WIDTH, Box, dag_svg

BOXES = [
    Box("orders", "source", ("source", "10 rows")),
    Box("customers", "source", ("source", "10 <rows> & more")),
    Box("totals$1", "stage", ("incremental, linear", ""), ("orders",)),
    Box("totals", "incremental", ("incremental, rows", "10 s"), ("totals$1",)),
    Box("cities", "full", ("full refresh", "10 s"), ("totals", "customers"), dashed=True),
    Box("late", "refused", ("REFUSED", "10 ms"), ("orders",)),
]


def shapes(kind: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(dag_svg("a & b", BOXES))
    return [one for one in root.iter() if one.tag.endswith(kind)]


def corners() -> list[tuple[float, float]]:
    return [
        (float(one.attrib["x"]), float(one.attrib["y"]))
        for one in shapes("rect")
        if one.get("width") == str(BOX_WIDTH)
    ]


def test_every_relation_and_every_reading_is_drawn_once() -> None:
    texts = [one.text for one in shapes("text")]
    assert all(texts.count(box.name) == 1 for box in BOXES)
    assert len(shapes("path")) == sum(len(box.reads) for box in BOXES)
    assert len(corners()) == len(set(corners())) == len(BOXES)
    assert sum(one.get("stroke-dasharray") is not None for one in shapes("rect")) == 1


def test_readers_stand_to_the_right() -> None:
    places = dict(zip([box.name for box in BOXES], corners(), strict=True))
    for box in BOXES:
        assert all(places[read][0] < places[box.name][0] for read in box.reads)


def test_no_line_runs_through_a_box() -> None:
    for path in shapes("path"):
        points = [tuple(map(float, pair)) for pair in re.findall(r"([-\d.]+),([-\d.]+)", path.attrib["d"])]
        for x, y in corners():
            assert not any(x < px < x + BOX_WIDTH and y < py < y + BOX_HEIGHT for px, py in points), (
                "a control point lies in a box"
            )


def test_an_empty_picture_is_a_picture() -> None:
    assert ElementTree.fromstring(dag_svg("nothing", [])).tag.endswith("svg")
