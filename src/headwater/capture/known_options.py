"""The options that each kind of source knows: a misspelt one is refused, not ignored.

Those of `stream` are Spark's own, and are left to it.
"""

from __future__ import annotations

from headwater.errors import InputError, did_you_mean
from headwater.errors.secrets import secret_of_file
from headwater.model import Table

__all__ = ["check_known_options"]

_ALL = ("mode",)
_KNOWN = {
    "api": _ALL,
    "files": (*_ALL, "path", "format", "pattern", "settle", "delimiter", "header", "null_value"),
    "postgres": (*_ALL, "uri", "password", "table", "rename", "max_slot_lag"),
}
_VALUES = {"mode": ("insert", "upsert"), "header": ("true", "false")}


def check_known_options(table: Table) -> None:
    """Raise InputError at the first option that the table's source does not know, or value it cannot have."""
    known = _KNOWN.get(table.provider)
    if known is None:
        return
    for name, value in table.options.items():
        if (secret_of_file(name) or name) not in known:
            message = f'table "{table.name}" has an unknown option "{name}"'
            hint = did_you_mean(name, known) or f"USING {table.provider} knows {', '.join(known)}."
            raise InputError("HW859", message, place=table.place, hint=hint)
        values = _VALUES.get(name)
        if values is not None and value.lower() not in values:
            message = f'table "{table.name}": {name} is {" or ".join(values)}, not "{value}"'
            raise InputError("HW859", message, place=table.place, hint=did_you_mean(value, values))
