"""A project with a store and no Spark: append to sources, let the keeper apply it, ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import headwater as hw
from headwater.api import Headwater
from headwater.capture.polling import advance
from headwater.clock import ManualClock
from headwater.serve.store.answering import Answering
from headwater.serve.store.keeping.keeper import Keeper
from headwater.serve.store.opening import open_store


class StoreProject:
    def __init__(self, folder: Path, sql: str, name: str = "kept") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "headwater.yml").write_text(f"name: {name}\ndurability: fast\n", "utf-8")
        self.folder = folder
        self.clock = ManualClock()
        self.declare(sql)

    def declare(self, sql: str) -> None:
        """Write the project's SQL and open it anew."""
        (self.folder / "all.sql").write_text(sql, "utf-8")
        self.project: Headwater = hw.open(str(self.folder), self.clock)
        self.keeper = Keeper(open_store(self.project.project), self.project.warehouse, clock=self.clock)

    def append(self, table: str, records: Iterable[Mapping[str, Any]]) -> None:
        self.clock.advance(timedelta(milliseconds=10))
        appended = self.project.ingest(table, list(records))
        assert not appended.rejected, appended.rejected

    def watermarks(self) -> dict[str, int]:
        self.clock.advance(timedelta(milliseconds=10))
        warehouse = self.project.warehouse
        return {
            name: advance(warehouse, name, self.clock.now(), 0).watermark
            for name in self.project.project.tables
        }

    def keep(self) -> None:
        """What a run does between two looks."""
        self.keeper.keep(self.project.catalog, self.watermarks(), settle=True)

    def answering(self) -> Answering:
        return Answering.open(self.project.project, self.clock)


def deleted(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"op": "delete", "row": dict(row)}
