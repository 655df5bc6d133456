"""The picture of a plan: nothing of it lies outside."""

from __future__ import annotations

from xml.etree import ElementTree

from headwater.overload.joins import JoinPlan, Problem, State, decide, linear
from headwater.overload.joins.reports.draw import draw


def test_the_title_of_a_small_tree_fits_into_its_picture() -> None:
    plan = JoinPlan(linear("A", "B"), {"A": 10, "B": 10}, {"A": State(300, 0.01), "B": State(300, 0.01)})
    problem = Problem(plan, 1_199.853)
    names = {"A": "trades_of_the_day", "B": "quotes"}
    picture = ElementTree.fromstring(
        draw(problem, decide(problem, "optimal"), names, "a_view_with_a_long_name, ")
    )
    wide, high = float(picture.get("width", 0)), float(picture.get("height", 0))
    texts = [element for element in picture.iter() if element.tag.endswith("text")]
    assert len(texts) > 5
    for text in texts:
        words, size, x = "".join(text.itertext()), float(text.get("font-size", 0)), float(text.get("x", 0))
        length = 0.6 * size * len(words)  # of Helvetica, a little more than on average
        left = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")] * length
        assert x - left >= 0, words
        assert x - left + length <= wide, words
        assert 0 < float(text.get("y", 0)) <= high
