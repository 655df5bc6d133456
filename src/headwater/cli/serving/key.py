"""`headwater key`: who may ask the server of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli.input.arguments import JsonOption, ProjectFolder
from headwater.cli.input.commands import ProjectCommand
from headwater.cli.input.opening import open_last_good, open_to_write
from headwater.cli.show.output import console, print_json, print_table
from headwater.clock import instant_text
from headwater.serve.access.keys import Rights, Role

if TYPE_CHECKING:
    from headwater.serve.access.keys import Key

__all__ = ["key"]

key = typer.Typer(help="API keys of the server: who may ask, and for what.", no_args_is_help=True)

KeyName = Annotated[str, typer.Argument(metavar="NAME", help="What the key is called: whom it is for.")]


@key.command("add", cls=ProjectCommand)
def add(
    folder: ProjectFolder,
    name: KeyName,
    role: Annotated[
        Role,
        typer.Option("--role", help="look: the state; query: also rows; change: also changes."),
    ] = Role.QUERY,
    view: Annotated[
        list[str] | None, typer.Option("--view", metavar="VIEW", help="Only this view; may be repeated.")
    ] = None,
    query: Annotated[
        list[str] | None, typer.Option("--query", metavar="QUERY", help="Only this query; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key, and print it: it is stored as a salted hash, and cannot be shown again.

    Once there is a key, the server answers nobody without one. A key that names views or queries is for
    those alone.

    Examples: `headwater key add shop dashboard --role look`, `headwater key add shop web --query two_tags`
    """
    from headwater.serve.access.key_file import add_key

    project = open_to_write(folder, last_good=True)
    rights = _rights(project, role, view, query)
    made, token = add_key(project.warehouse.root, name, rights, project.clock.now())
    if as_json:
        print_json(_fields(made) | {"key": token})
        return
    console().print(f"{name}: {token}")
    console().print("It is not shown again. Send it as the header Authorization: Bearer KEY.")


@key.command("list", cls=ProjectCommand)
def list_keys(folder: ProjectFolder, as_json: JsonOption = False) -> None:
    """Show the keys of a project: names, roles and what they are for; never the keys themselves.

    Example: `headwater key list shop --json`
    """
    from headwater.serve.access.key_file import read_keys

    keys = read_keys(open_last_good(folder).warehouse.root)
    if as_json:
        print_json({"keys": [_fields(each) for each in keys]})
        return
    if not keys:
        console().print("There are no keys: only this machine is answered.")
        return
    columns = ("key", "role", "views", "queries", "since", "revoked")
    print_table("", columns, [tuple(_shown(each)) for each in keys])


@key.command("revoke", cls=ProjectCommand)
def revoke(folder: ProjectFolder, name: KeyName, as_json: JsonOption = False) -> None:
    """Let a key count no longer, from the next request on.

    Example: `headwater key revoke shop dashboard`
    """
    from headwater.serve.access.key_file import revoke_key

    project = open_to_write(folder, last_good=True)
    revoked = revoke_key(project.warehouse.root, name, project.clock.now())
    print_json(_fields(revoked)) if as_json else console().print(f"{name} no longer counts")


def _rights(project: Any, role: Role, views: list[str] | None, queries: list[str] | None) -> Rights:
    """Views by their declared names, so that a misspelt one is an error now; the same for queries."""
    if not views and not queries:
        return Rights(role)
    from headwater.project.named import query_named

    return Rights(
        role,
        tuple(project.catalog.view(name).name for name in views or ()),
        tuple(query_named(project.project, name).name for name in queries or ()),
    )


def _fields(made: Key) -> dict[str, Any]:
    rights = made.rights
    return {
        "name": made.name,
        "id": made.id,
        "role": rights.role.value,
        "views": None if rights.views is None else list(rights.views),
        "queries": None if rights.queries is None else list(rights.queries),
        "created_at": instant_text(made.created_at),
        "revoked_at": None if made.revoked_at is None else instant_text(made.revoked_at),
    }


def _shown(made: Key) -> list[str]:
    rights = made.rights
    named = ["all" if names is None else ", ".join(names) or "-" for names in (rights.views, rights.queries)]
    revoked = "" if made.revoked_at is None else instant_text(made.revoked_at)[:19]
    return [made.name, rights.role.value, *named, instant_text(made.created_at)[:19], revoked]
