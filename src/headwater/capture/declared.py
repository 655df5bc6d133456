"""Whether tables are declared so that they can be captured: known before anything is planned or connected."""

from __future__ import annotations

from headwater.capture.files.options import check_options
from headwater.capture.known_options import check_known_options
from headwater.errors import InputError, did_you_mean
from headwater.model import Project, Table

__all__ = ["check_sources", "stream_without_format", "unknown_provider"]

_PROVIDERS = ("api", "files", "postgres", "stream")


def check_sources(project: Project) -> None:
    """Raise an InputError if the options of a table are wrong, before anything is captured or planned."""
    for table in project.tables.values():
        check_known_options(table)
        match table.provider:
            case "files":
                check_options(table)
            case "postgres":
                from headwater.capture.postgres.declared import check_address, declare

                declare(table)
                check_address(table)
            case "stream" if "format" not in table.options:
                raise stream_without_format(table)
            case provider if provider not in _PROVIDERS:
                raise unknown_provider(table)


def stream_without_format(table: Table) -> InputError:
    return InputError(
        "HW840", f'table "{table.name}" uses a stream without saying which', place=table.place,
        hint="Add OPTIONS (format 'kafka', ...): any format that Spark's readStream knows.",
    )  # fmt: skip


def unknown_provider(table: Table) -> InputError:
    return InputError(
        "HW116", f'table "{table.name}" uses an unknown provider "{table.provider}"', place=table.place,
        hint=did_you_mean(table.provider, _PROVIDERS) or f"Use one of {', '.join(_PROVIDERS)}.",
    )  # fmt: skip
