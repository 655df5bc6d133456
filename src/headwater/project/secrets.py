"""Secrets that a project refers to: read at the moment of use, and stored nowhere.

    OPTIONS (uri 'postgresql://app:${SHOP_PASSWORD}@db/shop')        from the environment
    OPTIONS (uri 'postgresql://app@db/shop', password_file '/run/secrets/shop')    from a file
    OPTIONS (uri_file '/run/secrets/shop-uri')
    spark: {config: {spark.hadoop.fs.s3a.secret.key: "${S3_SECRET}"}}

A project holds the reference, never what it stands for, so a password can be changed under a run: the next
connection uses the new one.  `$${` stands for `${`.  `<name>_file` gives the parameter <name> the content of
a file, without its line end, where <name> names a secret or is `uri`; others may end in _file as they like.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from headwater.errors import InputError, Place
from headwater.errors.redaction import remember_secrets
from headwater.errors.secrets import secret_of_file

__all__ = ["absolute_secret_files", "resolved", "resolved_text"]

_VARIABLE = re.compile(r"\$(?P<escaped>\$\{)|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}")


def absolute_secret_files(parameters: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The parameters with the paths of secrets' files made absolute, from the project's folder."""
    return {
        name: str(folder / Path(value).expanduser()) if secret_of_file(name) else value
        for name, value in parameters.items()
    }


def resolved(parameters: Mapping[str, str], owner: str, place: Place | None = None) -> dict[str, str]:
    """The parameters as they are used now: variables and files read.  Not to be stored.

    `owner` says in an error whose parameters they are.
    """
    values: dict[str, str] = {}
    for written, value in parameters.items():
        base = secret_of_file(written)
        name = base or written
        values[name] = (
            _content(value, f"{written} of {owner}", place)
            if base
            else resolved_text(value, f"{written} of {owner}", place)
        )
        remember_secrets(name, values[name])
    return values


def resolved_text(text: str, title: str, place: Place | None = None) -> str:
    """A text with its variables replaced; `title` says in an error what it is."""

    def value(variable: re.Match[str]) -> str:
        if variable["escaped"]:
            return variable["escaped"]
        secret = os.environ.get(variable["name"])
        if secret is None:
            raise InputError(
                "HW219",
                f"{title} needs the environment variable {variable['name']}, which is not set",
                place=place,
                hint=f"export {variable['name']}, or write $${{ for a plain ${{",
            )
        return secret

    replaced = _VARIABLE.sub(value, text)
    remember_secrets("", replaced)
    return replaced


def _content(path: str, title: str, place: Place | None) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            content = file.read().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError("HW219", f"{title} cannot be read from {path}: {reason}", place=place) from None
    if not content:
        raise InputError("HW219", f"{title}: the file {path} is empty", place=place)
    return content
