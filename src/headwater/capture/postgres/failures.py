"""Errors of PostgreSQL as errors that say what to do. Passwords never appear in them."""

from __future__ import annotations

import re

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from headwater.errors import HeadwaterError, InputError

__all__ = ["CaptureError", "database_of", "explained"]


class CaptureError(HeadwaterError):
    """Capturing fails at the moment; it is retried."""

    exit_status = 1


def database_of(uri: str) -> str:
    """The database an address names, as people write it: host:port/name."""
    try:
        parts = conninfo_to_dict(uri)
    except psycopg.Error:  # whose text quotes the address, with its password
        raise _no_address() from None
    host, port = parts.get("host") or parts.get("hostaddr") or "localhost", str(parts.get("port") or 5432)
    if not port.replace(",", "").isdigit():  # postgresql://user:password, without a host
        raise _no_address()
    return f"{host}:{port}/{parts.get('dbname') or parts.get('user') or 'postgres'}"


def _no_address() -> InputError:
    hint = "Write postgresql://user:password@host:port/database."
    return InputError("HW872", "the uri is not a PostgreSQL address", hint=hint)


def explained(error: psycopg.Error, uri: str) -> HeadwaterError:
    """The error as shown to people, for example by `status`, with the server's own words."""
    where, words = database_of(uri), _own_words(error)
    match error:
        case pg.ObjectInUse():
            return CaptureError(
                "HW877", f"the replication slot in {where} is in use by another session", detail=words,
                hint="Is another capture of this project running?",
            )  # fmt: skip
        case pg.InsufficientPrivilege():
            return CaptureError(
                "HW876", f"{where}: {words}",
                hint="The user needs REPLICATION, SELECT on the tables, and for the publication to own them.",
            )  # fmt: skip
        case pg.ConfigurationLimitExceeded():
            return CaptureError(
                "HW879", f"{where} has no free replication slot", detail=words,
                hint="Raise max_replication_slots, or drop slots that nobody uses.",
            )  # fmt: skip
        case psycopg.OperationalError():
            return _not_connected(where, words)
        case _:
            return CaptureError("HW878", f"{where}: {words}")


# What a server says when it refuses a connection -> what that is called here, and what to do.
_REFUSALS = (
    (r'database ".*" does not exist', "HW957", "the database {} does not exist",
     "Correct the uri, or create it: CREATE DATABASE"),
    (r'role ".*" does not exist|password authentication failed|no password supplied', "HW958",
     "PostgreSQL at {} does not let the user in", "Correct user and password of the uri."),
    (r"no pg_hba\.conf entry", "HW958", "PostgreSQL at {} does not let the user in",
     "Allow the connection in the server's pg_hba.conf, then SELECT pg_reload_conf()."),
    (r"could not translate host name|Name or service not known|nodename nor servname", "HW870",
     "PostgreSQL at {} is not reachable: there is no such host", "Correct the host of the uri."),
    (r"Connection refused|No such file or directory", "HW870",
     "PostgreSQL at {} is not reachable: nothing listens there",
     "Start the server, or correct host and port of the uri. It is tried again."),
)  # fmt: skip


def _not_connected(where: str, words: str) -> CaptureError:
    for pattern, code, message, hint in _REFUSALS:
        if re.search(pattern, words):
            return CaptureError(code, message.format(where), detail=words, hint=hint)
    return CaptureError(
        "HW870", f"PostgreSQL at {where} is not reachable", detail=words,
        hint="It is tried again; views grow stale meanwhile.",
    )  # fmt: skip


def _own_words(error: psycopg.Error) -> str:
    """What the server said: its primary message, or of a connection that failed, the line that tells why."""
    if error.diag.message_primary:
        return error.diag.message_primary
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    fatal = next((line[line.index("FATAL:") :] for line in lines if "FATAL:" in line), "")
    return fatal or (lines[0] if lines else type(error).__name__)
