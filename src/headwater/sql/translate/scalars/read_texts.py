"""Texts that Spark would have to read as another type, and could not: amount = 'abc'.

In ANSI mode Spark casts the text when it compares, so such a view fails at its first row.  Never stricter
than Spark: what may be readable passes.
"""

from __future__ import annotations

import re

from headwater.algebra.expressions.nodes import Literal
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import family

__all__ = ["unreadable"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
_TRUTH = re.compile(r"t|true|y|yes|1|f|false|n|no|0", re.IGNORECASE)
_DATE = re.compile(r"[+-]?\d{4,}.*", re.DOTALL)
_INSTANT = re.compile(r"[+-]?\d{4,}.*|T?\d{1,2}:.*", re.DOTALL)
_READABLE = {"number": _NUMBER, "boolean": _TRUTH, "date": _DATE, "timestamp": _INSTANT}


def unreadable(text: Typed, other: Typed) -> bool:
    """Whether a text that stands in the SQL can certainly not be read as the other's type."""
    form = _READABLE.get(family(other.type))
    if form is None or not isinstance(text.expr, Literal) or not isinstance(text.expr.value, str):
        return False
    return family(text.type) == "string" and form.fullmatch(text.expr.value.strip()) is None
