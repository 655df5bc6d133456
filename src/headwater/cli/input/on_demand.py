"""Groups of commands whose modules are imported when they are asked for.

`headwater plan` imports what planning needs, and nothing of the fifty other commands; the help of a group
imports all of them, because it quotes their first lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from typing import Any, Literal, cast

from typer import Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info, get_group

from headwater.cli.input.commands import shown_as_flags

__all__ = ["MARKUP", "group_of"]

MARKUP: Literal["markdown"] = "markdown"
Kind = type[TyperCommand]


def group_of(homes: Mapping[str, str], kind_of: Callable[[str], Kind]) -> type[TyperGroup]:
    """A class of groups with these commands, in this order.

    A home is `module:function` or `module:group`, below headwater.cli.
    """

    class OnDemand(TyperGroup):
        def __init__(self, **settings: Any) -> None:
            commands = _Commands(homes, kind_of, settings.pop("commands", None) or {})
            super().__init__(**settings, commands=cast("dict[str, Any]", commands))

        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

        def get_params(self, ctx: Any) -> Any:
            return shown_as_flags(super().get_params(ctx))

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, _as_option(args))

    return OnDemand


def _as_option(args: list[str]) -> list[str]:
    """`headwater help plan` and `headwater version`, as other tools have them."""
    match args:
        case ["help", *command]:
            return [*command, "--help"]
        case ["version"]:
            return ["--version"]
        case _:
            return args


class _Commands(MutableMapping[str, Any]):
    """Commands by name: some are there, the others are imported on first use."""

    def __init__(
        self, homes: Mapping[str, str], kind_of: Callable[[str], Kind], built: Mapping[str, Any]
    ) -> None:
        self.homes, self.kind_of, self.built = homes, kind_of, dict(built)

    def __getitem__(self, name: str) -> Any:
        if name not in self.built:
            self.built[name] = _imported(name, self.homes[name], self.kind_of(name))
        return self.built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self.built[name] = command

    def __delitem__(self, name: str) -> None:
        del self.built[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.homes, **self.built})

    def __len__(self) -> int:
        return len({**self.homes, **self.built})


@cache
def _imported(name: str, home: str, kind: Kind) -> Any:
    module, _, attribute = home.partition(":")
    imported = getattr(import_module(f"headwater.cli.{module}"), attribute)
    if isinstance(imported, Typer):
        group = get_group(imported)
        group.name = name
        return group
    registering = Typer()
    registering.command(name, cls=kind)(imported)
    (registered,) = registering.registered_commands
    return get_command_from_info(registered, pretty_exceptions_short=False, rich_markup_mode=MARKUP)
