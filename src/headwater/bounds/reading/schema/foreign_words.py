"""Words of declarations that the parser does not know, taken out of the text before it reads them.

    PRIMARY KEY (id) USING INDEX TABLESPACE users ENABLE     Oracle: PRIMARY KEY (id)
    UNIQUE (email) DISABLE, CHECK (...) NOT ENFORCED         kept by nobody: the whole constraint goes
    place POINT NOT NULL SRID 4326                           MySQL: bytes
    v ANY                                                    SQLite: a column without a type
    CARDINALITY LIMIT 20 (uid), TEMPORAL                     ours, in another database's schema (`own_words`)

Blanks take their places, so that every other word stays where the file has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token

from headwater.bounds.reading.schema.elements import (
    Span,
    blanked,
    declaration,
    elements_of,
    outside,
    span,
    word_of,
)
from headwater.bounds.reading.schema.own_words import is_limit, own_words

__all__ = ["without_foreign_words"]

_OF_CONSTRAINTS = {"CONSTRAINT", "PRIMARY KEY", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN KEY", "FOREIGN"}
_IN_COLUMNS = {"PRIMARY KEY", "UNIQUE", "CHECK", "REFERENCES", "NOT"}
_STATES = {"ENABLE", "VALIDATE", "RELY", "NORELY"}  # of a constraint that Oracle keeps
_OFF = {"DISABLE", "NOVALIDATE"}
_SPATIAL = {
    "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION",
}  # fmt: skip


def without_foreign_words(text: str, dialect: Dialect, name: str) -> str:
    """The text of a CREATE or ALTER TABLE in words that the parser of the dialect knows."""
    tokens = declaration(text, dialect)
    if tokens is None:
        return text
    if word_of(tokens[0]) == "ALTER":
        return blanked(text, _known(tokens, name)) if name == "oracle" else text
    elements, end = elements_of(tokens)
    gone = [element for element in elements if element and (is_limit(element) or _is_off(element, name))]
    kept = [element for element in elements if element and element not in gone]
    spans = [span(element) for element in gone]
    spans += [part for element in kept for part in _in_element(element, name)]
    spans += own_words(kept, tokens[end + 1 :])
    commas = _commas(elements, kept)
    text = blanked(blanked(text, spans), commas)
    tail = {word_of(token) for token in tokens[end + 1 :]}
    if name == "oracle" and elements and not tail & {"SELECT", "EXTERNAL"}:
        text = text[: tokens[end].end + 1]
    return _typed(text, kept, name)


def _commas(elements: list[list[Token]], kept: list[list[Token]]) -> list[Span]:
    """The commas that divide nothing any more: the last one before every kept element but the first stays."""
    spans: list[Span] = []
    is_first = True
    for before, element in pairwise([None, *elements]):
        if before and (element not in kept or is_first):
            spans.append((before[-1].end + 1, element[0].start if element else before[-1].end + 1))
        is_first = is_first and element not in kept
    return spans


def _state(element: Sequence[Token], name: str) -> int | None:
    """Where an element says of a constraint that nobody keeps it."""
    for number, word in outside(element):
        is_off = word in _OFF and name == "oracle"
        following = word_of(element[number + 1]) if number + 1 < len(element) else ""
        if number > 0 and (is_off or (word == "NOT" and following == "ENFORCED")):
            return number
    return None


def _is_off(element: Sequence[Token], name: str) -> bool:
    return word_of(element[0]) in _OF_CONSTRAINTS and _state(element, name) is not None


def _in_element(element: Sequence[Token], name: str) -> list[Span]:
    """What goes of an element that stays."""
    spans: list[Span] = []
    while (state := _state(element, name)) is not None:
        first = _constraint_before(element, state)
        last = state + (word_of(element[state]) == "NOT")
        spans.append(span(element[first : last + 1]))
        element = [*element[:first], *element[last + 1 :]]
    return spans + _known(element, name)


def _constraint_before(element: Sequence[Token], state: int) -> int:
    """Where the constraint of a column begins that its state stands behind."""
    words = [(number, word) for number, word in outside(element) if number < state and word in _IN_COLUMNS]
    start = words[-1][0] if words else state
    return start - 2 if start > 2 and word_of(element[start - 2]) == "CONSTRAINT" else start


def _known(element: Sequence[Token], name: str) -> list[Span]:
    """The words of a kept constraint that say nothing of rows."""
    spans: list[Span] = []
    words = list(outside(element))
    for (number, word), (after, following) in pairwise([*words, (len(element), "")]):
        if (word == "NOT" and following == "DEFERRABLE") or (name == "mysql" and word == "SRID"):
            spans.append(span(element[number : after + 1]))
        elif name == "oracle" and number > 0 and word in _STATES:
            spans.append(span([element[number]]))
        elif name == "oracle" and word == "USING" and following == "INDEX":
            rest = [at for at, other in words if at > number and other in (_STATES | _OFF | _IN_COLUMNS)]
            spans.append(span(element[number : next(iter(rest), len(element))]))
    return spans


def _typed(text: str, elements: Sequence[Sequence[Token]], name: str) -> str:
    """Types that are no types of the parser's."""
    for element in elements:
        kind = element[1] if len(element) > 1 else None
        if kind is None or not (
            (name == "mysql" and word_of(kind) in _SPATIAL) or (name == "sqlite" and word_of(kind) == "ANY")
        ):
            continue
        start, end = span([kind])
        text = text[:start] + ("BLOB" if name == "mysql" else "").ljust(end - start) + text[end:]
    return text
