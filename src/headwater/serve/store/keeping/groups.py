"""What a project's queries need together: relations that queries read together are always as of one time."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.catalog import Catalog, build
from headwater.serve.store.declared import checked_queries
from headwater.serve.store.layout import Layout, layouts_of, whole_layout

__all__ = ["groups_of", "query_layouts"]


def query_layouts(catalog: Catalog) -> dict[str, Layout]:
    """What each bounded query of the project needs, whatever its views share: those who ask do not know."""
    catalog = build(catalog.project)
    checked = checked_queries(catalog, advice=False)
    layouts = layouts_of(
        {name: query.answer for name, query in checked.items() if not query.obstacle}, catalog.versions
    )
    return {name: layout for name, layout in layouts.items() if layout.parts}


def groups_of(layouts: Mapping[str, Layout]) -> list[Layout]:
    """Layouts of queries that share a relation, put together."""
    groups: list[dict[str, Layout]] = []
    for name, layout in layouts.items():
        joined = {name: layout}
        apart = []
        for group in groups:
            if any(other.relations & layout.relations for other in group.values()):
                joined = group | joined
            else:
                apart.append(group)
        groups = [*apart, joined]
    return [whole_layout(group) for group in groups]
