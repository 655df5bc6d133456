"""`headwater errors`: what an error code means, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.cli.input.arguments import JsonOption
from headwater.cli.show.output import console, print_json, print_table
from headwater.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from headwater.errors.codes import Code

__all__ = ["errors"]


def errors(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="A code such as HW204; default: all of them.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Explain an error code: what it means, why it happens and what to do. Without a code, list all.

    Examples: `headwater errors HW204`, `headwater errors --json`
    """
    from headwater.errors.codes import CODES, PARTS

    if code is not None:
        entry = _named(code)
        if as_json:
            print_json(asdict(entry))
        else:
            _print(entry)
    elif as_json:
        print_json(
            {"codes": [asdict(entry) for entry in sorted(CODES.values(), key=lambda entry: entry.code)]}
        )
    else:
        for part, entries in PARTS.items():
            print_table(part, ("code", "meaning"), [(entry.code, entry.title) for entry in entries])


def _named(text: str) -> Code:
    from headwater.errors.codes import CODES, REPLACED

    code = text.strip().upper()
    code = f"HW{code}" if code.isdigit() else code
    if code in REPLACED:
        code = REPLACED[code]
    if code not in CODES:
        hint = did_you_mean(code, CODES) or "headwater errors lists all codes"
        raise InputError("HW007", f'there is no error code "{text}"', hint=hint)
    return CODES[code]


def _print(entry: Code) -> None:
    out = console()
    out.print(f"{entry.code}: {entry.title}", style="bold", markup=False)
    out.print(entry.cause, markup=False)
    out.print(f"What to do: {entry.remedy}", markup=False)
