"""What part of a relation a join reads, by hand for the tweets."""

from __future__ import annotations

import pytest

from headwater.planning.facts.skipping import read_share
from headwater.planning.relations.relations import Input, Relation

# Ids grow: new urls belong to new tweets, new users to new tweets; but anybody may tweet or move.
MET = {
    ("tweets.tid", "urls.tid"): 0.02,
    ("urls.tid", "tweets.tid"): 0.02,
    ("users.uid", "tweets.uid"): 0.03,
    ("tweets.uid", "users.uid"): 1.0,
    ("loc.uid", "tweets.uid"): 1.0,
    ("tweets.uid", "loc.uid"): 1.0,
}
TID, UID = ("tweets.tid", "urls.tid"), ("tweets.uid", "users.uid")


def relation(*names: str, equal: tuple[tuple[str, ...], ...] = ()) -> Relation:
    return Relation(tuple(Input(name, name) for name in names), equal)


def share(changed: Relation, beside: Relation, *equal: tuple[str, ...]) -> float:
    whole = Relation((*changed.inputs, *beside.inputs), (*changed.equal, *beside.equal, *equal))
    return read_share(changed, beside, whole, MET)


TWEETS, URLS, USERS, LOC = (relation(name) for name in ("tweets", "urls", "users", "loc"))
WRITTEN = relation("tweets", "users", equal=(UID,))
LOCATED = relation("loc", "tweets", equal=(("loc.uid", "tweets.uid"),))


@pytest.mark.parametrize(
    ("changed", "beside", "equal", "expected"),
    [
        (URLS, TWEETS, TID, 0.02),
        (USERS, TWEETS, UID, 0.03),
        (TWEETS, USERS, UID, 1.0),
        # A new tweet with its user is new, whichever of both came last: so is what it meets by its number.
        (WRITTEN, URLS, TID, 0.02),
        (URLS, WRITTEN, TID, 0.02),
        # Who moves brings old tweets along.
        (LOCATED, URLS, TID, 1.0),
        (URLS, LOCATED, TID, 1.0),
        # What nothing is known of is read whole.
        (URLS, LOC, ("loc.uid", "urls.tid"), 1.0),
    ],
)
def test_by_hand(changed: Relation, beside: Relation, equal: tuple[str, ...], expected: float) -> None:
    assert share(changed, beside, equal) == expected


def test_what_a_view_computes_is_in_no_order() -> None:
    computed = Relation(TWEETS.inputs, view="counted")
    assert share(URLS, computed, TID) == 1.0


def test_names_of_occurrences_stand_for_their_sources() -> None:
    again = Relation((Input("tweets#2", "tweets"),))
    assert share(URLS, again, ("tweets#2.tid", "urls.tid")) == 0.02
