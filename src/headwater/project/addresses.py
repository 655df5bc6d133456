"""Addresses where a folder is meant: `s3://bucket/shop` would become a folder called `s3:`."""

from __future__ import annotations

import re

from headwater.errors import InputError, Place

__all__ = ["refuse_address"]

# Two letters at least: C:/ is a drive. One slash will do: Path("s3://b") says s3:/b.
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):/+(?P<rest>.*)", re.DOTALL)


def refuse_address(text: str, title: str, place: Place | None = None) -> None:
    """Raise an InputError if `text` has a scheme: Headwater works on folders only."""
    match = _SCHEME.match(text)
    if match is None:
        return
    scheme = match["scheme"].lower()
    raise InputError(
        "HW215",
        f"{title} must be a folder, not an address that begins with {scheme}:",
        place=place,
        detail="Tables lie in folders of a file system. Object stores and other services do not work yet.",
        hint=f"write the path alone: /{match['rest']}"
        if scheme == "file"
        else "name a folder on a local disk, or one that the system has mounted",
    )
