"""Names a statement uses that only the whole project can resolve, with their places for the errors."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Place

__all__ = ["KeyReference", "Reference", "SiteReference"]


@dataclass(frozen=True, slots=True)
class SiteReference:
    """AT SITE name, on a table or view."""

    site: str
    place: Place


@dataclass(frozen=True, slots=True)
class KeyReference:
    """REFERENCES table (columns): the `number`-th foreign key of the table `owner`."""

    owner: str
    number: int
    place: Place
    column_places: tuple[Place, ...]


Reference = SiteReference | KeyReference
