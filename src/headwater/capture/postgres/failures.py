"""What PostgreSQL refuses, as errors that say what to do. Passwords never appear in them."""

from __future__ import annotations

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from headwater.errors import HeadwaterError, InputError

__all__ = ["CaptureError", "database_of", "explained"]


class CaptureError(HeadwaterError):
    """Capturing does not work at the moment; it is tried again."""

    exit_status = 1


def database_of(uri: str) -> str:
    """Which database an address means, for people: host:port/name."""
    try:
        parts = conninfo_to_dict(uri)
    except psycopg.Error as error:
        raise InputError("HW872", "the uri is not a PostgreSQL address", detail=str(error).strip()) from error
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    return f"{host}:{parts.get('port') or 5432}/{parts.get('dbname') or parts.get('user') or 'postgres'}"


def explained(error: psycopg.Error, uri: str) -> HeadwaterError:
    """The error for people who look at `status`."""
    where = database_of(uri)
    detail = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    match error:
        case pg.ObjectInUse():
            return CaptureError(
                "HW877", f"the replication slot in {where} is in use by another session", detail=detail,
                hint="Is another capture of this project running?",
            )  # fmt: skip
        case pg.InsufficientPrivilege():
            return CaptureError(
                "HW876", f"{where}: a permission is missing", detail=detail,
                hint="The user needs REPLICATION, SELECT on the tables, and for the publication to own them.",
            )  # fmt: skip
        case pg.ConfigurationLimitExceeded():
            return CaptureError(
                "HW879", f"{where} has no free replication slot", detail=detail,
                hint="Raise max_replication_slots, or drop slots that nobody uses.",
            )  # fmt: skip
        case psycopg.OperationalError():
            return CaptureError(
                "HW870", f"PostgreSQL at {where} is not reachable", detail=detail,
                hint="It is tried again; views grow stale meanwhile.",
            )  # fmt: skip
        case _:
            return CaptureError("HW878", f"{where}: {detail}")
