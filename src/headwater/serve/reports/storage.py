"""What is stored and what would go: `headwater status --storage` and `headwater vacuum`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from headwater.catalog import Catalog
from headwater.clock import Clock
from headwater.errors import InputError
from headwater.storage.records.run_lock import run_lock, running
from headwater.storage.vacuum.in_use import InUse, in_use, storage_roots
from headwater.storage.vacuum.inventory import Inventory, inventory
from headwater.storage.vacuum.table_files import bytes_below
from headwater.storage.vacuum.vacuum import Removed, Vacuum, Vacuumed
from headwater.storage.warehouse import Warehouse

__all__ = ["storage", "vacuum"]


def storage(catalog: Catalog, warehouse: Warehouse) -> Inventory:
    """Everything in the warehouse, and what it is for."""
    roots = storage_roots(catalog.project, warehouse)
    return inventory(warehouse, roots, in_use(warehouse, [catalog]))


def vacuum(
    catalog: Catalog,
    warehouse: Warehouse,
    clock: Clock,
    dry_run: bool = False,
    show: Callable[[str], None] = lambda table: None,
) -> Vacuumed:
    """Delete what nobody needs, or say what that is. Beside a run, whole tables are left to it."""

    @contextmanager
    def using() -> Iterator[InUse]:
        yield in_use(warehouse, [catalog])

    with ExitStack() as stack:
        alone = running(warehouse.root) is None
        if alone and not dry_run:
            alone = _locked(stack, warehouse, clock)
        roots = storage_roots(catalog.project, warehouse)
        reads = catalog.project.retention.reads
        vacuumed = Vacuum(warehouse, roots, using, reads, clock.now(), alone, dry_run, show).run()
        staging = tuple(_without_staging(roots, dry_run)) if alone else ()
        return replace(vacuumed, removed=(*vacuumed.removed, *staging))


def _locked(stack: ExitStack, warehouse: Warehouse, clock: Clock) -> bool:
    """Whether no run keeps the project, nor can begin to before the stack ends."""
    try:
        stack.enter_context(run_lock(warehouse.root, clock.now()))
    except InputError:
        return False
    return True


def _without_staging(roots: tuple[str, ...], dry_run: bool) -> Iterator[Removed]:
    """What killed runs have left of their actions."""
    for root in roots:
        folder = Warehouse.staging(root)
        if size := bytes_below(folder):
            if not dry_run:
                shutil.rmtree(folder, ignore_errors=True)
            yield Removed("staging", "staging", "orphan", 1, size)
