"""Statements of a file that no bound depends on, told by their words alone.

A schema dump holds much more than tables and queries: rights, settings, sequences, rows.  Nothing of that
says what rows there may be or asks for any, so `check` passes it over.  Everything else is either understood
or reported: a statement is never dropped because it could not be read.
"""

from __future__ import annotations

from itertools import pairwise

from headwater.sql.parsing.words import Words

__all__ = ["passes_over"]

_ADMINISTRATION = {
    "ANALYZE", "BEGIN", "CACHE", "CLUSTER", "COMMENT", "COMMIT", "COPY", "DEALLOCATE", "DESC",
    "DESCRIBE", "DISCARD", "DROP", "GRANT", "LISTEN", "LOAD", "LOCK", "NOTIFY", "OPTIMIZE", "PRAGMA",
    "REFRESH", "REINDEX", "RELEASE", "RESET", "REVOKE", "ROLLBACK", "SAVEPOINT", "SET", "SHOW", "START",
    "TRUNCATE", "UNCACHE", "UNLOCK", "USE", "VACUUM",
}  # fmt: skip
_RELATIONS = {"TABLE", "VIEW", "QUERY"}
_CHANGES = {"ADD", "DROP", "RENAME", "MODIFY", "CHANGE", "CONVERT", "EXCHANGE", "TYPE", "DISABLE", "NOCHECK"}
_CONSTRAINTS = {"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}
_HARMLESS = {
    "DEFAULT", "EXPRESSION", "GENERATED", "IDENTITY", "KEYS", "PARTITION", "PARTITIONS", "ROW", "RULE",
    "TRIGGER",
}  # fmt: skip


def passes_over(words: Words, named: bool) -> bool:
    """May the statement be left out?  One that has a name in a comment above it is always looked at."""
    first = words.peek().word
    match first:
        case "INSERT" | "REPLACE":  # rows as they are; one that selects them is a query
            values = _holds(words, {"VALUES"}) and not _holds(words, {"SELECT", "WITH", "TABLE"})
            return values and not named
        case "CREATE":
            return not _declares_rows(words)
        case "ALTER":
            return not words.at("ALTER", "TABLE") or not _changes_rows(words)
        case "COPY":  # one with a subquery is a query
            return not _holds(words, {"SELECT", "WITH"})
        case "DO":
            return not named
        case _:
            return first in _ADMINISTRATION


def _declares_rows(words: Words) -> bool:
    """A table, a view, a query, or an index that makes columns unique."""
    start = {words.peek(ahead).word for ahead in range(1, 6)}
    return bool(start & _RELATIONS) or {"UNIQUE", "INDEX"} <= start or {"TYPE", "ENUM"} <= start


def _changes_rows(words: Words) -> bool:
    """Does an ALTER TABLE add, drop or rename a column or a constraint, or no longer enforce one?"""
    tokens = words.rest()
    if _adds_what_is_not_kept([token.word for token in tokens]):
        return False
    return any(
        (token.word in _CHANGES and after.word not in _HARMLESS)
        or (token.word == "NOT" and after.word == "ENFORCED")
        for token, after in pairwise(tokens)
    )


def _adds_what_is_not_kept(words: list[str]) -> bool:
    """One constraint that rows need not satisfy: ADD CONSTRAINT ... DISABLE, WITH NOCHECK ADD ..."""
    start = words.index("ADD") if "ADD" in words else len(words)
    unchecked = words[max(0, start - 2) : start] == ["WITH", "NOCHECK"]
    is_constraint = words[start + 1 : start + 2] and words[start + 1] in _CONSTRAINTS
    others = (_CHANGES - {"DISABLE"}) & {*words[2 : start - 2 * unchecked], *words[start + 1 :]}
    return bool(is_constraint) and not others and (unchecked or bool({"DISABLE", "NOVALIDATE"} & set(words)))


def _holds(words: Words, choices: set[str]) -> bool:
    return any(token.word in choices for token in words.rest())
