"""The address of the PostgreSQL database that a table is captured from, as it is needed to connect.

    OPTIONS (uri 'postgresql://app:${SHOP_PASSWORD}@db/shop')
    OPTIONS (uri 'postgresql://app@db/shop', password_file '/run/secrets/shop')
    OPTIONS (uri_file '/run/secrets/shop-uri')

Secrets are read anew for every connection (project/secrets.py), so the next one uses a changed password.
"""

from __future__ import annotations

from psycopg.conninfo import make_conninfo

from headwater.capture.postgres.failures import database_of
from headwater.model import Table
from headwater.project.secrets import resolved

__all__ = ["address_of"]


def address_of(table: Table) -> str:
    """What to connect to now, with its password: to be used, not to be stored."""
    options = resolved(table.options, f'table "{table.name}"', table.place)
    uri = options["uri"]
    database_of(uri)  # refuses what is not an address, without quoting it
    return make_conninfo(uri, password=options["password"]) if "password" in options else uri
