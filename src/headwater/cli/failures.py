"""What a command prints when it fails, and its exit status.

People get text on standard error.  With `--json`, standard output holds one object: the fields of the error.
Wrong input never shows a stack trace; a bug of ours does, on standard error, because then it helps.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer

from headwater.cli.show.output import print_json
from headwater.cli.usage import add_advice
from headwater.errors import HeadwaterError, InputError, InternalError, redact

__all__ = ["report_failure", "wants_json"]

# Typer brings its own copy of Click or uses the installed one; its public errors derive from this class.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON: looked up in its words, since it may be wrong elsewhere."""
    words = list(arguments)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def report_failure(failure: Exception, as_json: bool) -> int:
    """Print a failure; returns the exit status."""
    if isinstance(failure, _USAGE_ERROR):
        add_advice(failure)
    if isinstance(failure, _USAGE_ERROR) and not as_json:
        return _show_usage(failure)
    error = _as_error(failure)
    if isinstance(error, InternalError):
        print(redact("".join(traceback.format_exception(failure))), file=sys.stderr)
    if as_json:
        print_json(error.fields())
    else:
        print(error, file=sys.stderr)
    return error.exit_status


def _show_usage(failure: Any) -> int:
    """Print a wrong command line as Typer does, but for the secrets among its words."""
    from typer.rich_utils import rich_format_error

    failure.message = redact(failure.message)
    rich_format_error(failure)
    return int(failure.exit_code)


def _as_error(failure: Exception) -> HeadwaterError:
    if isinstance(failure, HeadwaterError):
        return failure
    if isinstance(failure, _USAGE_ERROR):
        hint = "`headwater COMMAND --help` lists the arguments and options of a command."
        return InputError("HW004", failure.format_message(), hint=hint)
    if isinstance(failure, OSError):
        # A full disk, a folder that may not be written: the user's to mend, so no stack trace.
        where = f": {failure.filename}" if failure.filename else ""
        return InputError("HW002", f"{failure.strerror or failure}{where}")
    return InternalError("HW999", f"{type(failure).__name__}: {failure}")
