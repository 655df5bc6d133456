"""$1, $2 of PostgreSQL, and ?1, ?2 of SQLite and of JPA, under names that the parser takes for names.

Between the dollars of `$1,$2` sqlglot sees the tag of a dollar-quoted string, and loses all that follows.
It reads `?1` as two things.  For parsing, `$12` becomes `:bc` in letters that nobody writes; offsets stay as
they are, and `digits_of` gives the number back.
"""

from __future__ import annotations

import re

__all__ = ["digits_of", "with_lettered_parameters"]

_NUMBERED = re.compile(r"'[^']*'|\"[^\"]*\"|--[^\r\n]*|([$?])(\d+)")
_DIGITS = "0123456789"
_LETTERS = "\uff41\uff42\uff43\uff44\uff45\uff46\uff47\uff48\uff49\uff4a"  # wide a to j
_TO_LETTERS, _TO_DIGITS = str.maketrans(_DIGITS, _LETTERS), str.maketrans(_LETTERS, _DIGITS)


def with_lettered_parameters(sql: str, dollars: bool) -> str:
    """The same text with letters for the numbers of parameters, outside quotes and comments."""

    def lettered(match: re.Match[str]) -> str:
        is_parameter = match[1] == "?" or (match[1] == "$" and dollars)
        return f":{match[2].translate(_TO_LETTERS)}" if is_parameter else match[0]

    return _NUMBERED.sub(lettered, sql)


def digits_of(name: str) -> str:
    return name.translate(_TO_DIGITS)
