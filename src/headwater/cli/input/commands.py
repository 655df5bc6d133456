"""How a command line is read: flags are shown as flags, and the project may be the current folder.

    headwater read revenue            in the project's folder
    headwater read shop revenue       from elsewhere

Where the current folder is a project and an argument that a command needs is missing, DIR was left out, and
the words that were given are the others.  Where the others may be left out too, the first word is DIR if
there is such a file or folder.  Where any number of words may follow, the first is DIR if it is a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typer import BadParameter
from typer.core import TyperArgument, TyperCommand, TyperOption

__all__ = ["Command", "ProjectCommand", "shown_as_flags"]

HERE = "."
CONFIG = "headwater.yml"


def shown_as_flags(params: Any) -> Any:
    """Help shows `--json`, not `--json <bool>`."""
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag:
            param.metavar = ""
    return params


class Command(TyperCommand):
    """A command whose help shows flags as flags, and which takes no empty word for a folder or a name."""

    def get_params(self, ctx: Any) -> Any:
        return shown_as_flags(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        values, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        for param in self.params:
            given = values.get(param.name or "")
            empty = "" in given if isinstance(given, tuple | list) else given == ""
            if empty and isinstance(param, TyperArgument):
                raise BadParameter("it is empty: is a variable of the shell not set?", ctx=ctx, param=param)
        return super().parse_args(ctx, args)


class ProjectCommand(Command):
    """A command whose first argument is a project's folder, and may be left out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arguments = [param for param in self.params if isinstance(param, TyperArgument)]
        self.needed = sum(argument.required for argument in self.arguments)
        self.arguments[0].required = False  # parse_args gives it

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [HERE, *args] if self._lacks_folder(ctx, args) else args)

    def _lacks_folder(self, ctx: Any, args: list[str]) -> bool:
        values, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        words = [values.get(argument.name or "") for argument in self.arguments]
        given = [word for word in words if isinstance(word, str)]
        if not given:
            return True
        if not Path(CONFIG).is_file():
            return False
        if any(argument.nargs == -1 for argument in self.arguments):
            return not Path(given[0]).is_dir()
        lone = len(given) == self.needed < len(self.arguments) and not Path(given[0]).exists()
        return lone or len(given) == self.needed - 1
