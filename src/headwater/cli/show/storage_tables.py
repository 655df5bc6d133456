"""What is stored, for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from headwater.cli.show.output import console, print_table

if TYPE_CHECKING:
    from headwater.storage.vacuum.inventory import Inventory, TableStorage
    from headwater.storage.vacuum.vacuum import Vacuumed

__all__ = ["print_storage", "size_text", "storage_json", "vacuum_json"]

NAMES = ("name", "kind", "path", "used", "files", "rows", "problem")
SIZES = ("live_bytes", "history_bytes", "waiting_bytes", "orphan_bytes", "log_bytes", "index_bytes")


def size_text(size: int) -> str:
    """Bytes as people read them."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def vacuum_json(vacuumed: Vacuumed) -> dict[str, Any]:
    return asdict(vacuumed) | {"files": vacuumed.files, "bytes": vacuumed.bytes}


def storage_json(stored: Inventory, vacuumed: Vacuumed) -> dict[str, Any]:
    """`vacuumed`: what a vacuum would delete now."""
    return {
        "tables": [{name: getattr(table, name) for name in (*NAMES, *SIZES)} for table in stored.tables],
        "staging_bytes": stored.staging_bytes,
        "logs_bytes": stored.logs_bytes,
        "other_bytes": stored.other_bytes,
        "total_bytes": stored.total_bytes,
        "would_remove": vacuum_json(vacuumed),
    }


def print_storage(stored: Inventory, vacuumed: Vacuumed) -> None:
    columns = ("files", "rows", "live", "history", "waiting", "orphans", "log", "index")
    print_table("", ("table", "kind", *columns), [_row(table) for table in stored.tables], right=columns)
    out = console()
    out.print(
        f"{size_text(stored.total_bytes)} in all; staging {size_text(stored.staging_bytes)},"
        f" log files {size_text(stored.logs_bytes)}, other {size_text(stored.other_bytes)}"
    )
    for table in stored.tables:
        if table.problem:
            out.print(f"{table.name}: {table.problem}", style="red")
    out.print(
        f"headwater vacuum would delete {vacuumed.files:,} files, {size_text(vacuumed.bytes)};"
        f" {size_text(vacuumed.waiting_bytes)} wait until nobody can need them"
    )


def _row(table: TableStorage) -> tuple[str, ...]:
    unneeded = {"stage": "old version", "view": "deleted view", "source": "deleted source"}
    kind = table.kind if table.used else unneeded.get(table.kind, table.kind)
    sizes = (size_text(getattr(table, name)) for name in SIZES)
    return (table.name, kind, f"{table.files:,}", f"{table.rows:,}", *sizes)
