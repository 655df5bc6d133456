"""Changes of the tables of window joins as records for `ingest`."""

from __future__ import annotations

from collections.abc import Mapping

from support.overload.window_joins import Row

__all__ = ["records"]


def records(changes: Mapping[Row, int]) -> list[dict[str, object]]:
    """Deletions before what replaces them."""
    return [
        {
            "op": "insert" if weight > 0 else "delete",
            "row": {
                "id": row[0], "k": row[1], "n": row[2],
                "ts": None if row[3] is None else f"{row[3].isoformat()}Z",
            },
        }
        for row, weight in sorted(changes.items(), key=lambda change: change[1])
        if weight
    ]  # fmt: skip
