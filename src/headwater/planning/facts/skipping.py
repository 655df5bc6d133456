"""Which part of a relation a join has to read: files without a key of the delta's range are skipped.

Keys mostly grow with time.  Then a new row meets new rows only, and the log's statistics let a push skip
everything older (engine/query/pruning.py):

    new urls join tweets on tid         only the newest tweets are read
    new users join tweets on uid        a new user's tweets are new too
    new tweets join users on uid        anybody may tweet: all users are read

`met` says for a pair of source columns which share of the second's rows lies in files that the first's newest
values overlap; it is measured, and 1 where nothing was.  A join of several inputs is in order of a column if
every change of it is: whichever input a change comes from, it leads to new rows of the column's input only.

Doubt: one share stands for every push; a push that carries more reads more.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.planning.relations.relations import Relation, column_of, input_of

__all__ = ["Met", "read_share"]

Met = Mapping[tuple[str, str], float]  # ("urls.tid", "tweets.tid"), by the sources' names -> share

FEW = 0.5  # a change that meets less than this part of a relation leads to its new rows


def read_share(changed: Relation, beside: Relation, whole: Relation, met: Met) -> float:
    """The part of `beside` that is read to join the changes of `changed` with it to `whole`."""
    if changed.view or beside.view:
        return 1.0
    return min((_share_by(group, changed, beside, met) for group in whole.equal), default=1.0)


def _share_by(group: tuple[str, ...], changed: Relation, beside: Relation, met: Met) -> float:
    """The part that has to be read if files are skipped by one class of equal columns."""
    return min(
        (
            _met_share(left, changed, right, beside, met)
            for left in _ordered_columns(group, changed, met)
            for right in _ordered_columns(group, beside, met)
        ),
        default=1.0,
    )


def _ordered_columns(group: tuple[str, ...], relation: Relation, met: Met) -> list[str]:
    """The columns of a class by which a relation grows."""
    own = [column for column in group if input_of(column) in relation.names]
    return [column for column in own if _in_order(relation, input_of(column), met)]


def _in_order(relation: Relation, name: str, met: Met) -> bool:
    """Whether every change of a relation comes with new rows of an input."""
    return all(name in _new_rows(relation, input.name, met) for input in relation.inputs)


def _new_rows(relation: Relation, driver: str, met: Met) -> set[str]:
    """The inputs of which a new row of one of them meets new rows only."""
    reached, waiting = {driver}, [driver]
    while waiting:
        name = waiting.pop()
        for group in relation.equal:
            for column in (column for column in group if input_of(column) == name):
                new = {
                    input_of(other)
                    for other in group
                    if input_of(other) not in reached
                    and _met_share(column, relation, other, relation, met) < FEW
                }
                reached |= new
                waiting += new
    return reached


def _met_share(left: str, owner: Relation, right: str, other_owner: Relation, met: Met) -> float:
    return met.get((_source_column(left, owner), _source_column(right, other_owner)), 1.0)


def _source_column(column: str, relation: Relation) -> str:
    source = next(input.relation for input in relation.inputs if input.name == input_of(column))
    return f"{source}.{column_of(column)}"
