"""Comments that MySQL runs: `/*!80016 NOT ENFORCED */`, which dumps are full of, and MariaDB's `/*M! ... */`.

Whether one is run depends on the server's version.  So a query that holds one is not analysed; of a declared
table nothing counts, unless the comment says how rows are stored or that a constraint is not enforced.
"""

from __future__ import annotations

import re

from headwater.model import SqlText

__all__ = ["changes_rows", "exempts", "holds_executed_comment", "with_exemptions"]

_EXECUTED = re.compile(r"/\*M?!(\d{5,6})?(.*?)\*/", re.DOTALL)
_AFTER = re.compile(r"(?:\s|/\*.*?\*/|--[^\n]*|\#[^\n]*)*", re.DOTALL)  # comments after the last word
_EXEMPTION = re.compile(r"\s*NOT\s+ENFORCED\s*", re.IGNORECASE)
_OF_STORAGE = re.compile(
    r"\s*(PARTITION|SUBPARTITION|STORAGE|COLUMN_FORMAT|INVISIBLE|ENGINE|TABLESPACE|ENCRYPTION|COMPRESSION"
    r"|DEFAULT\s+(ENCRYPTION|COLLATE|CHARSET)|SECONDARY_ENGINE)\b",
    re.IGNORECASE,
)


def holds_executed_comment(sql: SqlText) -> bool:
    """Does one stand in the statement, or between its last word and the semicolon?"""
    end = sql.offset + len(sql.text)
    after = _AFTER.match(sql.source, end) if sql.source else None
    return any(_EXECUTED.search(text) for text in (sql.text, after[0] if after is not None else ""))


def with_exemptions(text: str) -> str:
    """The text with NOT ENFORCED outside of its comment, every word where it was."""

    def bare(match: re.Match[str]) -> str:
        if not _EXEMPTION.fullmatch(match[2]):
            return match[0]
        return match[2].rjust(len(match[0]) - 2) + "  "

    return _EXECUTED.sub(bare, text)


def exempts(text: str) -> bool:
    """Does a comment say of a constraint that it is not enforced?"""
    return with_exemptions(text) != text


def changes_rows(text: str) -> bool:
    """May such a comment change what a declaration says of rows?"""
    return any(
        not (_EXEMPTION.fullmatch(body) or _OF_STORAGE.match(body)) for _, body in _EXECUTED.findall(text)
    )
