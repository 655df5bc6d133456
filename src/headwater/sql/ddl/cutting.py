"""Cut a statement out of a file and leave every other byte as it is.

The statement is removed from its first word to its semicolon, with the line end after it if nothing else is
on its lines.  Comments stay, even those above it: nobody can tell for certain what they describe.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.sql.ddl.statements import parse_statements, split_statements
from headwater.sql.parsing.lexer import Source, lex

__all__ = ["StatementText", "cut_view", "statement_texts"]


@dataclass(frozen=True, slots=True)
class StatementText:
    """A statement of a file: `text` as written, with its semicolon, and where it stands."""

    start: int
    end: int
    text: str
    view: str  # the view it declares, or ""
    comments: str = ""  # what stands between it and the statement before


def statement_texts(text: str, path: str = "<sql>") -> tuple[StatementText, ...]:
    """The file's statements, in order."""
    statements: list[StatementText] = []
    for words, gap_start in split_statements(Source(path, text)):
        tokens = words.rest()
        start, end = tokens[0].start, tokens[-1].end
        views = parse_statements(text[start:end], path).views if words.at("CREATE") else ()
        name = views[0].name if views else ""
        comments = text[gap_start:start].strip()
        statements.append(StatementText(start, end, text[start:end] + ";", name, comments))
    return tuple(statements)


def cut_view(text: str, view: str, path: str = "<sql>") -> str | None:
    """The file without the view's declaration; None if nothing but comments would be left."""
    statements = statement_texts(text, path)
    declaration = next(statement for statement in statements if statement.view.lower() == view.lower())
    if len(statements) == 1:
        return None
    end = _after_semicolon(Source(path, text), declaration.end)
    start, end = _with_line_end(text, declaration.start, end)
    return text[:start] + text[end:]


def _after_semicolon(source: Source, end: int) -> int:
    after = next((token for token in lex(source) if token.start >= end), None)
    return after.end if after is not None and after.word == ";" else end


def _with_line_end(text: str, start: int, end: int) -> tuple[int, int]:
    """Include the line end when nothing else stands on the statement's lines."""
    before = text[:start].rpartition("\n")[2]
    rest = text[end:]
    line = rest.partition("\n")[0]
    if before.strip() or line.strip():
        return start, end
    return start - len(before), end + len(line) + (1 if "\n" in rest else 0)
