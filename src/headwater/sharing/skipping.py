"""Which part of a relation a join has to read: files without a key of the delta's range are skipped.

Keys mostly grow with time.  Then a new row meets new rows only, and the log's statistics let a push skip all
that is older (engine/pruning.py):

    new urls join tweets on tid         only the newest tweets are read
    new users join tweets on uid        a new user's tweets are new too
    new tweets join users on uid        anybody may tweet: all users are read

`met` says for a pair of source columns which share of the second's rows lies in files that the first's newest
values overlap; it is measured, and 1 where nothing is known.  What is joined of several inputs is in order of
a column if every change of it is: whichever input a change comes from, it leads to new rows of the column's
input alone.

Doubt: one share stands for every push; a push that carries more reads more.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.sharing.relations import Relation

__all__ = ["Met", "read_share"]

Met = Mapping[tuple[str, str], float]  # ("urls.tid", "tweets.tid"), by the sources' names -> share

FEW = 0.5  # a change that meets less than this part of a relation leads to its new rows


def read_share(changed: Relation, beside: Relation, whole: Relation, met: Met) -> float:
    """The part of `beside` that is read to join the changes of `changed` with it to `whole`."""
    if changed.view or beside.view:
        return 1.0
    return min((_by(group, changed, beside, met) for group in whole.equal), default=1.0)


def _by(group: tuple[str, ...], changed: Relation, beside: Relation, met: Met) -> float:
    """The part that is read because of one class of equal columns."""
    return min(
        (
            _met(one, changed, other, beside, met)
            for one in group
            if _input(one) in changed.names and _in_order(changed, _input(one), met)
            for other in group
            if _input(other) in beside.names and _in_order(beside, _input(other), met)
        ),
        default=1.0,
    )


def _in_order(relation: Relation, name: str, met: Met) -> bool:
    """Whether every change of a relation is one of new rows of an input."""
    return all(name in _new_rows(relation, one.name, met) for one in relation.inputs)


def _new_rows(relation: Relation, driver: str, met: Met) -> set[str]:
    """The inputs of which a new row of one of them meets new rows only."""
    reached, waiting = {driver}, [driver]
    while waiting:
        name = waiting.pop()
        for group in relation.equal:
            for one in (column for column in group if _input(column) == name):
                found = {
                    _input(other)
                    for other in group
                    if _input(other) not in reached and _met(one, relation, other, relation, met) < FEW
                }
                reached |= found
                waiting += found
    return reached


def _met(one: str, owner: Relation, other: str, others: Relation, met: Met) -> float:
    return met.get((_source(one, owner), _source(other, others)), 1.0)


def _source(column: str, relation: Relation) -> str:
    name, _, own = column.rpartition(".")
    return f"{next(each.relation for each in relation.inputs if each.name == name)}.{own}"


def _input(column: str) -> str:
    return column.rpartition(".")[0]
