"""Queries that would need a periodic refresh on many machines, answered from an ordinary index on one.

An index led by a TEMPORAL column takes every insert at its end.  Spread over machines, that end is one
machine's, which is why `check` proposes staging and a refresh (SI-3).  A store on one machine has no such hot
spot: its B-tree takes inserts at the end as cheaply as anywhere.  So the query is answered from that index,
always fresh, in as many operations as its plan is bound to.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.bounds.answers.analyse import Subject
from headwater.bounds.answers.answer import Answer
from headwater.bounds.plans.optimize import plan_query
from headwater.bounds.query.block import Select
from headwater.bounds.query.forms.derived import prune
from headwater.bounds.query.settings import Settings

__all__ = ["without_hot_spots"]


def without_hot_spots(subject: Subject, answer: Answer) -> Answer:
    """The answer with the plan that reads hot indexes; unchanged if even those do not bound it."""
    query = prune(subject.query) if isinstance(subject.query, Select) else subject.query
    settings = Settings(subject.catalog, subject.maxima, subject.default_limit, hot=True)
    strict = None if subject.strict else plan_query(query, replace(settings, assume=False))
    bounded = strict or plan_query(query, replace(settings, assume=not subject.strict))
    if bounded is None:
        return answer
    return replace(
        answer,
        operations=bounded.bound.operations,
        read=bounded.bound.read,
        results=bounded.bound.rows,
        indexes=tuple(sorted(bounded.indexes, key=repr)),
        assumes=tuple(sorted(bounded.assumes)),
        bounded_plan=bounded,
    )
