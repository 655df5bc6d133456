"""A prompt for SQL: statements of several lines, history within a session, names completed with TAB."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["at_a_terminal", "completions", "piped", "statements"]

_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "JOIN", "LEFT JOIN", "ON", "USING",
    "WITH", "AS", "AND", "OR", "NOT", "IN", "IS NULL", "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE",
    "END", "DISTINCT", "UNION ALL", "count(", "sum(", "avg(", "min(", "max(",
)  # fmt: skip
_LEAVE = ("exit", "quit", "\\q")
_HELP = "End a query with ; - TAB completes names - tables lists what there is - exit leaves."


def at_a_terminal() -> bool:
    """Is standard input typed, and not piped in?"""
    return sys.stdin.isatty()


def statements(
    prompt: str, relations: Mapping[str, Sequence[str]], ask: Callable[[str], str] = input
) -> Iterator[str]:
    """What is typed, one statement at a time, until the end of input or `exit`.

    A statement ends with a semicolon.  Ctrl-C drops what was typed of it so far.
    """
    _complete_with_tab(relations)
    print(_HELP, file=sys.stderr)
    typed: list[str] = []
    while True:
        try:
            line = ask("     ... ".rjust(len(prompt)) if typed else prompt)
        except EOFError:
            print(file=sys.stderr)
            return
        except KeyboardInterrupt:
            print(file=sys.stderr)
            typed = []
            continue
        word = line.strip().rstrip(";").lower()
        if not typed and word in _LEAVE:
            return
        if not typed and word == "tables":
            print("\n".join(f"{name} ({', '.join(columns)})" for name, columns in relations.items()))
        elif word or typed:
            typed.append(line)
            if line.rstrip().endswith(";"):
                yield "\n".join(typed)
                typed = []


def piped(text: str) -> list[str]:
    """The statements of a text; the last one needs no semicolon. Nothing at all is one that is wrong."""
    from headwater.sql.ddl.statements import split_statements
    from headwater.sql.parsing.lexer import Source

    words = (words for words, _ in split_statements(Source("standard input", text)))
    return [each.rest_text().text for each in words] or [text]


def completions(word: str, relations: Mapping[str, Sequence[str]]) -> list[str]:
    """Relations, columns and words of SQL that begin with what was typed."""
    columns = {column for names in relations.values() for column in names}
    names = [*relations, *sorted(columns - relations.keys()), *_WORDS]
    return [name for name in names if name.lower().startswith(word.lower())]


def _complete_with_tab(relations: Mapping[str, Sequence[str]]) -> None:
    try:
        import readline
    except ImportError:  # a Python built without it still has a prompt
        return

    def complete(word: str, number: int) -> str | None:
        matches = completions(word, relations)
        return matches[number] if number < len(matches) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
