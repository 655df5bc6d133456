"""Classes of what is equal: transitive, each member once, in the order in which they came together."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.algebra.expressions.equalities import equality_classes

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


def test_a_pair_joins_the_classes_of_both_its_members() -> None:
    assert equality_classes([("a", "b"), ("c", "d"), ("e", "f"), ("b", "c")]) == [
        ("e", "f"),
        ("a", "b", "c", "d"),
    ]
    assert equality_classes([("a", "b"), ("b", "a")]) == [("a", "b")]
    assert equality_classes([]) == []


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(PAIRS)
def test_members_are_in_one_class_if_a_chain_of_pairs_links_them(pairs: list[tuple[int, int]]) -> None:
    classes = equality_classes(pairs)
    members = [member for group in classes for member in group]
    assert sorted(members) == sorted({member for pair in pairs for member in pair})
    for start in members:
        reached, waiting = set(), [start]
        while waiting:
            reached.add(member := waiting.pop())
            linked = {other for pair in pairs if member in pair for other in pair}
            waiting += linked - reached
        assert {start, *reached} == set(next(group for group in classes if start in group))
