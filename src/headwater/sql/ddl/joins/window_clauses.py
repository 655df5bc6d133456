"""The clauses of a window join, as words: WINDOW, TOLERANCE and ADAPT JOINS (what they mean: window.py)."""

from __future__ import annotations

from datetime import timedelta

from headwater.sql.parsing.intervals import read_interval
from headwater.sql.parsing.lexer import Kind
from headwater.sql.parsing.names import same_name
from headwater.sql.parsing.words import Words

__all__ = ["read_adapt", "read_tolerance", "read_window"]


def read_window(words: Words) -> timedelta | int:
    """What follows WINDOW: an interval, or a number of rows."""
    token = words.peek()
    if token.kind is not Kind.NUMBER or words.peek(1).word not in ("ROW", "ROWS"):
        return read_interval(words)
    if not token.text.isdigit() or int(token.text) < 1:
        raise words.wrong("HW127", "a WINDOW has at least one row", token, hint="write WINDOW = 1000 ROWS")
    words.next()
    words.next()
    return int(token.text)


def read_tolerance(words: Words) -> tuple[tuple[str, timedelta], ...]:
    """(nyc = INTERVAL '12' MINUTE, ...); as a property without the brackets."""
    brackets = words.accept("(")
    tolerances: dict[str, timedelta] = {}
    while True:
        token = words.name("the name of a stream")
        if any(same_name(token.text, name) for name in tolerances):
            raise words.wrong("HW103", f'the tolerance of "{token.text}" is given twice', token)
        words.accept("=")
        tolerances[token.text] = read_interval(words)
        if not words.accept(","):
            break
    if brackets:
        words.expect(")", after="the tolerances")
    return tuple(tolerances.items())


def read_adapt(words: Words) -> bool:
    """ADAPT JOINS."""
    words.expect("ADAPT", "JOINS", after="ON OVERLOAD")
    return True
