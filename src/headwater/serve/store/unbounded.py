"""Answer a query that may be unbounded, within a time: by DuckDB over the timelines, as `headwater sql` does.

The store keeps nothing for such a query, so it is read from the sources' and views' own files, all as of one
time, and stopped at the end of its interval.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.model import Query
from headwater.serve.ad_hoc.answer import database_of, relations_as_of
from headwater.sql.parsing.parser import in_dialect
from headwater.sql.parsing.result_names import result_names
from headwater.storage.as_python import as_python
from headwater.storage.warehouse import Warehouse

__all__ = ["answer_within"]

_PARAMETER = re.compile(r"\$(\w+)")


def answer_within(
    catalog: Catalog, warehouse: Warehouse, clock: Clock, query: Query, values: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], int]:
    """The rows, and as of which time they are; InputError if it takes longer than the query may."""
    import duckdb

    assert query.within is not None
    times, relations = relations_as_of(catalog, warehouse, clock, query.sql)
    text = in_dialect(query.sql, "duckdb")
    named = {name: values[name] for name in _PARAMETER.findall(text) if name in values}
    with database_of(relations, {warehouse.root, *warehouse.roots.values()}) as database:
        stopping = threading.Timer(query.within.total_seconds(), database.interrupt)
        stopping.start()
        try:
            table = database.sql(_lists_spread(text, named), params=named).to_arrow_table()
        except duckdb.InterruptException as error:
            raise _too_long(query.name, query.within) from error
        except duckdb.Error as error:
            raise InputError(
                "HW823", f'the query "{query.name}" failed: {error}', detail=f"DuckDB ran: {text}"
            ) from error
        finally:
            stopping.cancel()
    table = table.rename_columns(result_names(query.sql, table.column_names))
    return as_python(table), min(times.values(), default=clock.now())


def _lists_spread(text: str, values: Mapping[str, Any]) -> str:
    """IN ($ids) with a list as a membership in it."""
    for name, value in values.items():
        if isinstance(value, list):
            text = re.sub(rf"IN \(\${name}\)", f"IN (SELECT UNNEST(${name}))", text)
    return text


def _too_long(name: str, within: timedelta) -> InputError:
    return InputError(
        "HW437",
        f'the query "{name}" took longer than the {within.total_seconds():g} s it may',
        detail="It is unbounded: its work grows with the data.",
        hint="Allow it more: ALLOW UNBOUNDED WITHIN INTERVAL ..., or follow the advice of `headwater check`.",
    )
