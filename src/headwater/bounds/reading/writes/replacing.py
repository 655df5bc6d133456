"""Writes that say what becomes of rows in their way, in words that the parser knows.

REPLACE INTO t SELECT ...      of MySQL and SQLite: INSERT, and the row that is there goes
UPDATE OR IGNORE t SET ...     of SQLite: UPDATE, but for rows that break a constraint
"""

from __future__ import annotations

import re

from sqlglot import exp

__all__ = ["marked_as_replacing", "without_replace"]

_REPLACE = re.compile(r"^\s*REPLACE(?=\s+INTO\b)", re.IGNORECASE)
_OTHERWISE = re.compile(r"(?<=^UPDATE)\s+OR\s+(?:IGNORE|ABORT|FAIL|ROLLBACK)(?=\s)", re.IGNORECASE)


def without_replace(text: str) -> str:
    """The same text as an INSERT or UPDATE; every other word stays where it is."""
    text = _REPLACE.sub(lambda match: match[0][:-7] + "INSERT ", text)
    return _OTHERWISE.sub(lambda match: " " * len(match[0]), text)


def marked_as_replacing(tree: exp.Expr, text: str) -> exp.Expr:
    if isinstance(tree, exp.Insert) and _REPLACE.match(text):
        tree.set("alternative", "REPLACE")
    return tree
