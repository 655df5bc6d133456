"""Words of declarations that the parser does not know, taken out of the text before it reads them.

    PRIMARY KEY (id) USING INDEX TABLESPACE users ENABLE     Oracle: PRIMARY KEY (id)
    UNIQUE (email) DISABLE, CHECK (...) NOT ENFORCED         kept by nobody: the whole constraint goes
    place POINT NOT NULL SRID 4326                           MySQL: bytes
    v ANY                                                    SQLite: a column without a type
    CARDINALITY LIMIT 20 (uid)                               ours, in another database's schema (`limits_in`)

Blanks take their places, so that every other word stays where the file has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from headwater.model import Cardinality
from headwater.sql.parsing.lexer import tokens_of

__all__ = ["limits_in", "without_foreign_words"]

_QUOTED = (TokenType.IDENTIFIER, TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING)
_OF_CONSTRAINTS = {"CONSTRAINT", "PRIMARY KEY", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN KEY", "FOREIGN"}
_IN_COLUMNS = {"PRIMARY KEY", "UNIQUE", "CHECK", "REFERENCES", "NOT"}
_STATES = {"ENABLE", "VALIDATE", "RELY", "NORELY"}  # of a constraint that Oracle keeps
_OFF = {"DISABLE", "NOVALIDATE"}
_SPATIAL = {
    "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION",
}  # fmt: skip
Span = tuple[int, int]  # from a character to below another one


def without_foreign_words(text: str, dialect: Dialect, name: str) -> str:
    """The text of a CREATE or ALTER TABLE in words that the parser of the dialect knows."""
    tokens = _declaration(text, dialect)
    if tokens is None:
        return text
    if _word(tokens[0]) == "ALTER":
        return _blanked(text, _known(tokens, name)) if name == "oracle" else text
    elements, end = _elements(tokens)
    gone = [element for element in elements if element and (_is_limit(element) or _is_off(element, name))]
    kept = [element for element in elements if element and element not in gone]
    spans = [_span(element) for element in gone]
    spans += [span for element in kept for span in _in_element(element, name)]
    commas = _commas(elements, kept)
    text = _blanked(_blanked(text, spans), commas)
    tail = {_word(token) for token in tokens[end + 1 :]}
    if name == "oracle" and elements and not tail & {"SELECT", "EXTERNAL"}:
        text = text[: tokens[end].end + 1]
    return _typed(text, kept, name)


def limits_in(text: str, dialect: Dialect) -> tuple[Cardinality, ...]:
    """The CARDINALITY LIMITs among the elements of a CREATE TABLE."""
    tokens = _declaration(text, dialect)
    if tokens is None or _word(tokens[0]) == "ALTER":
        return ()
    limits = (element for element in _elements(tokens)[0] if _is_limit(element))
    return tuple(_limit(element) for element in limits)


def _declaration(text: str, dialect: Dialect) -> Sequence[Token] | None:
    """The tokens of a CREATE or ALTER TABLE; None of any other statement."""
    if text[:6].upper() not in ("CREATE", "ALTER "):
        return None
    tokens = tokens_of(text, dialect)
    return tokens if "TABLE" in [_word(token) for token in tokens[1:5]] else None


def _word(token: Token) -> str:
    return "" if token.token_type in _QUOTED else token.text.upper()


def _span(tokens: Sequence[Token]) -> Span:
    return tokens[0].start, tokens[-1].end + 1


def _elements(tokens: Sequence[Token]) -> tuple[list[list[Token]], int]:
    """What stands between the commas of a table's brackets, and at which token those end."""
    elements: list[list[Token]] = []
    depth = 0
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            depth += 1
            if depth == 1:
                elements.append([])
                continue
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return elements, number
        elif token.token_type is TokenType.COMMA and depth == 1:
            elements.append([])
            continue
        if elements:
            elements[-1].append(token)
    return [], len(tokens) - 1


def _commas(elements: list[list[Token]], kept: list[list[Token]]) -> list[Span]:
    """The commas that divide nothing any more: the last one before every kept element but the first stays."""
    spans: list[Span] = []
    is_first = True
    for before, element in pairwise([None, *elements]):
        if before and (element not in kept or is_first):
            spans.append((before[-1].end + 1, element[0].start if element else before[-1].end + 1))
        is_first = is_first and element not in kept
    return spans


def _is_limit(element: Sequence[Token]) -> bool:
    """CARDINALITY LIMIT 20 (a, b), perhaps with an ON."""
    words = [_word(token) for token in element]
    bracket = 4 if words[3:4] == ["ON"] else 3
    is_limit = words[:2] == ["CARDINALITY", "LIMIT"] and "".join(words[2:3]).isdecimal()
    return is_limit and words[bracket : bracket + 1] == ["("] and words[-1] == ")"


def _limit(element: Sequence[Token]) -> Cardinality:
    inside = [token.text for token in element[3:] if token.token_type not in _PUNCTUATION]
    return Cardinality(tuple(inside[_word(element[3]) == "ON" :]), int(element[2].text))


_PUNCTUATION = (TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA)


def _outside(element: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """The words of an element that stand in no brackets of it, with their numbers."""
    depth = 0
    for number, token in enumerate(element):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0:
            yield number, _word(token)


def _state(element: Sequence[Token], name: str) -> int | None:
    """Where an element says of a constraint that nobody keeps it."""
    for number, word in _outside(element):
        is_off = word in _OFF and name == "oracle"
        following = _word(element[number + 1]) if number + 1 < len(element) else ""
        if number > 0 and (is_off or (word == "NOT" and following == "ENFORCED")):
            return number
    return None


def _is_off(element: Sequence[Token], name: str) -> bool:
    return _word(element[0]) in _OF_CONSTRAINTS and _state(element, name) is not None


def _in_element(element: Sequence[Token], name: str) -> list[Span]:
    """What goes of an element that stays."""
    spans: list[Span] = []
    while (state := _state(element, name)) is not None:
        first = _constraint_before(element, state)
        last = state + (_word(element[state]) == "NOT")
        spans.append(_span(element[first : last + 1]))
        element = [*element[:first], *element[last + 1 :]]
    return spans + _known(element, name)


def _constraint_before(element: Sequence[Token], state: int) -> int:
    """Where the constraint of a column begins that its state stands behind."""
    words = [(number, word) for number, word in _outside(element) if number < state and word in _IN_COLUMNS]
    start = words[-1][0] if words else state
    return start - 2 if start > 2 and _word(element[start - 2]) == "CONSTRAINT" else start


def _known(element: Sequence[Token], name: str) -> list[Span]:
    """The words of a kept constraint that say nothing of rows."""
    spans: list[Span] = []
    words = list(_outside(element))
    for (number, word), (after, following) in pairwise([*words, (len(element), "")]):
        if (word == "NOT" and following == "DEFERRABLE") or (name == "mysql" and word == "SRID"):
            spans.append(_span(element[number : after + 1]))
        elif name == "oracle" and number > 0 and word in _STATES:
            spans.append(_span([element[number]]))
        elif name == "oracle" and word == "USING" and following == "INDEX":
            rest = [at for at, other in words if at > number and other in (_STATES | _OFF | _IN_COLUMNS)]
            spans.append(_span(element[number : next(iter(rest), len(element))]))
    return spans


def _typed(text: str, elements: Sequence[Sequence[Token]], name: str) -> str:
    """Types that are no types of the parser's."""
    for element in elements:
        kind = element[1] if len(element) > 1 else None
        if kind is None or not (
            (name == "mysql" and _word(kind) in _SPATIAL) or (name == "sqlite" and _word(kind) == "ANY")
        ):
            continue
        start, end = _span([kind])
        text = text[:start] + ("BLOB" if name == "mysql" else "").ljust(end - start) + text[end:]
    return text


def _blanked(text: str, spans: Sequence[Span]) -> str:
    for start, end in spans:
        text = text[:start] + "".join("\n" if c == "\n" else " " for c in text[start:end]) + text[end:]
    return text
