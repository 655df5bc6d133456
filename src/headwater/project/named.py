"""What a project declares under a name, however it is spelt; where that is something else, what it is.

Tables, views and queries share one namespace, so a name that is no view may well be a table: then the message
says so, and how to ask for what was probably wanted.
"""

from __future__ import annotations

from collections.abc import Iterable

from headwater.errors import InputError, did_you_mean, shown_folder
from headwater.model import Project, Query, Table, View
from headwater.sql.parsing.names import spelling

__all__ = ["query_named", "table_named", "view_named"]


def view_named(project: Project, name: str, if_table: str = "") -> View:
    """The view of that name; `if_table` is the hint where it is a table."""
    declared = spelling(name, project.views)
    if declared is None:
        raise _not_declared("HW210", "view", name, project, project.views, if_table)
    return project.views[declared]


def table_named(project: Project, name: str) -> Table:
    declared = spelling(name, project.tables)
    if declared is None:
        if_view = "Views are computed from tables: what changes goes into those."
        raise _not_declared("HW211", "table", name, project, project.tables, if_view)
    return project.tables[declared]


def query_named(project: Project, name: str) -> Query:
    declared = spelling(name, project.queries)
    if declared is None:
        raise _not_declared("HW430", "query", name, project, project.queries)
    return project.queries[declared]


def _not_declared(
    code: str, kind: str, name: str, project: Project, declared: Iterable[str], if_relation: str = ""
) -> InputError:
    names = list(declared)
    kinds = {"table": project.tables, "view": project.views, "query": project.queries}
    detail = f"Its {'queries' if kind == 'query' else kind + 's'}: {', '.join(names) or 'none'}."
    for other, others in kinds.items():
        written = spelling(name, others)
        if written is not None:
            verb = "query" if other == "query" else "read"
            answer = f"headwater {verb} {shown_folder(project.folder)} {written}"
            hint = (if_relation if other != "query" else "") or f"`{answer}` answers with its rows."
            message = f'"{written}" is a {other} of project "{project.name}", not a {kind}'
            return InputError(code, message, detail=detail, hint=hint)
    return InputError(
        code,
        f'there is no {kind} "{name}" in project "{project.name}"',
        detail=detail,
        hint=did_you_mean(name, [*project.tables, *project.views, *project.queries]),
    )
