"""Which tables of a warehouse a project uses.

A stage's folder is named after its relation and the version of that: <relation>$1@<version>.  It is in use if
the version is the current one, whether the plan of the moment has this stage or not; and if a run has noted
it as shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater.catalog import Catalog
from headwater.model import Project
from headwater.storage.records.dropped import shared_noted, spared
from headwater.storage.warehouse import Warehouse

__all__ = ["InUse", "in_use", "storage_roots"]


def storage_roots(project: Project, warehouse: Warehouse) -> tuple[str, ...]:
    """The project's own root, and those of its sites."""
    return tuple(
        dict.fromkeys([warehouse.root, *(site.storage or warehouse.root for site in project.sites.values())])
    )


@dataclass(frozen=True, slots=True)
class InUse:
    sources: frozenset[str]
    views: frozenset[str]
    folders: frozenset[str]  # of stages
    versions: Mapping[str, frozenset[str]]  # of views and what they share

    def uses(self, kind: str, name: str) -> bool:
        match kind:
            case "source":
                return name in self.sources
            case "view":
                return name in self.views
            case "stage":
                relation, _, version = name.rpartition("@")
                return name in self.folders or version in self.versions.get(relation.split("$")[0], ())
            case _:
                return True


def in_use(warehouse: Warehouse, catalogs: Iterable[Catalog]) -> InUse:
    """What several catalogs use (of a run: the current one and the one it is about to adopt), and what was
    noted to stay."""
    used = list(catalogs)
    stay = spared(warehouse)
    versions: dict[str, frozenset[str]] = {}
    for catalog in used:
        for name, version in catalog.versions.items():
            versions[name] = versions.get(name, frozenset()) | {version}
    return InUse(
        frozenset(name for catalog in used for name in catalog.project.tables),
        frozenset(name for catalog in used for name in catalog.kept) | frozenset(stay),
        frozenset(folder for folders in stay.values() for folder in folders)
        | frozenset(shared_noted(warehouse)),
        versions,
    )
