"""A CREATE TABLE as tokens: what stands between the commas of its brackets, and how words are taken out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.parsing.lexer import tokens_of

__all__ = ["Span", "blanked", "declaration", "elements_of", "outside", "span", "word_of"]

_QUOTED = (TokenType.IDENTIFIER, TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING)
Span = tuple[int, int]  # from a character to below another one


def declaration(text: str, dialect: Dialect) -> Sequence[Token] | None:
    """The tokens of a CREATE or ALTER TABLE; None of any other statement."""
    if text[:6].upper() not in ("CREATE", "ALTER "):
        return None
    tokens = tokens_of(text, dialect)
    return tokens if "TABLE" in [word_of(token) for token in tokens[1:5]] else None


def word_of(token: Token) -> str:
    return "" if token.token_type in _QUOTED else token.text.upper()


def span(tokens: Sequence[Token]) -> Span:
    return tokens[0].start, tokens[-1].end + 1


def elements_of(tokens: Sequence[Token]) -> tuple[list[list[Token]], int]:
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


def outside(element: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """The words of an element that stand in no brackets of it, with their numbers."""
    depth = 0
    for number, token in enumerate(element):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0:
            yield number, word_of(token)


def blanked(text: str, spans: Sequence[Span]) -> str:
    for start, end in spans:
        text = text[:start] + "".join("\n" if c == "\n" else " " for c in text[start:end]) + text[end:]
    return text
