"""Text without its secrets: the one function through which text leaves the process.

Errors are redacted when they are made, log lines when they are formatted, tracebacks when they are printed,
records when they are stored.  Besides what reads like a secret (secrets.py), the secrets that this process
has used are hidden wherever they stand, even in the text of a library that quotes them without their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from headwater.errors.secrets import names_secret, secret_spans

__all__ = ["HIDDEN", "redact", "remember_secrets"]

HIDDEN = "***"
SHORTEST = 6  # a shorter secret is part of too many words

_used: frozenset[str] = frozenset()
_used_anywhere: re.Pattern[str] | None = None


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with each secret replaced by ***, also where one of these `secrets` stands by itself."""
    parts: list[str] = []
    end = 0
    for start, after in secret_spans(text):
        parts += text[end:start], HIDDEN
        end = after
    shown = "".join((*parts, text[end:])) if parts else text
    if pattern := _any_of(secrets):
        shown = pattern.sub(HIDDEN, shown)
    return shown if _used_anywhere is None else _used_anywhere.sub(HIDDEN, shown)


def remember_secrets(name: str, value: str) -> None:
    """From now on, hide the secrets in the value of a parameter in whatever text they stand.

    A password that is also a part of the rest (user and password "postgres") would hide that as well, so it
    is left to the rules; so is a short one.
    """
    global _used, _used_anywhere
    spans = ((0, len(value)),) if names_secret(name) else secret_spans(value)
    secrets = {value[start:end] for start, end in spans}
    rest = name + value
    for secret in secrets:
        rest = rest.replace(secret, "", 1)
    fresh = {secret for secret in secrets if len(secret) >= SHORTEST and secret not in rest} - _used
    if fresh:
        _used |= fresh | {unquote(secret) for secret in fresh}
        _used_anywhere = _any_of(_used)


def _any_of(secrets: Iterable[str]) -> re.Pattern[str] | None:
    """Any of the secrets, the longest first; one that is a plain word only where it stands by itself."""
    patterns = [
        rf"\b{secret}\b" if secret.isalpha() else re.escape(secret)
        for secret in sorted(secrets, key=len, reverse=True)
    ]
    return re.compile("|".join(patterns)) if patterns else None
