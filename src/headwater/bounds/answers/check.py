"""`headwater check` as a function: inputs in, answers out. Pure; reading files is the caller's business."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.bounds.answers.advice import advise
from headwater.bounds.answers.analyse import analyse
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.reading.sources import Inputs
from headwater.bounds.reading.subjects import Options, subject_of, tables_with_views

__all__ = ["check", "fails"]


def check(inputs: Inputs, options: Options, advice: bool = True) -> Iterator[Answer]:
    """An answer for every query, in the order of the files."""
    catalog = tables_with_views(inputs)
    for query in inputs.queries:
        subject = subject_of(query, inputs, catalog, options)
        if isinstance(subject, Answer):
            yield subject
            continue
        answer = analyse(subject)
        yield replace(answer, advice=advise(subject, answer)) if advice else answer


def fails(answers: list[Answer], limit: Level) -> list[Answer]:
    """The answers at `limit` or worse; a query that was not analysed is not proved bounded."""
    return [answer for answer in answers if answer.level.rank >= limit.rank]
