"""Headwater keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark.

import headwater as hw

shop = hw.open("shop")
shop.ingest("orders", [{"order_id": 1, "customer_id": 7, "status": "placed", ...}])
shop.run_until_idle()
shop.read("open_orders").to_pylist()

The public API is what `__all__` names: `open`, the project it opens, what its methods take and return, and
the errors they raise.  Everything is imported on first use: `import headwater` takes milliseconds, and Spark
is imported only by what needs it.  Nothing is logged unless the program that uses Headwater configures it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError, InputError, InternalError, Place, RefusedError

if TYPE_CHECKING:
    from headwater.api import Headwater as Headwater
    from headwater.api import open as open
    from headwater.capture.dead_letters import DeadLetter as DeadLetter
    from headwater.capture.ingest_file import FileFormat as FileFormat
    from headwater.capture.intake.append import Appended as Appended
    from headwater.capture.intake.batch import Rejection as Rejection
    from headwater.capture.rejected import Rejected as Rejected
    from headwater.capture.retrying import Retried as Retried
    from headwater.clock import Clock as Clock
    from headwater.clock import ManualClock as ManualClock
    from headwater.clock import SystemClock as SystemClock
    from headwater.engine.run.auditor import Snapshot as Snapshot
    from headwater.engine.run.progress import Progress as Progress
    from headwater.engine.upkeep.verify import Verified as Verified
    from headwater.engine.upkeep.verify_shown import VerifiedTable as VerifiedTable
    from headwater.model import Project as Project
    from headwater.model import Table as Table
    from headwater.planning.cost.billing import Bill as Bill
    from headwater.planning.cost.billing import Costs as Costs
    from headwater.planning.cost.billing import Line as Line
    from headwater.planning.weaving.weave import TreeChange as TreeChange
    from headwater.project.warning import ProjectWarning as ProjectWarning
    from headwater.serve.ad_hoc.answer import Answer as Answer
    from headwater.serve.changes import Change as Change
    from headwater.serve.planning.changing import Added as Added
    from headwater.serve.planning.changing import Dropped as Dropped
    from headwater.serve.planning.planned import Effect as Effect
    from headwater.serve.planning.planned import Planned as Planned
    from headwater.serve.planning.planned import PlannedView as PlannedView
    from headwater.serve.read import NeverComputedError as NeverComputedError
    from headwater.serve.read import Rows as Rows
    from headwater.serve.read import TooStaleError as TooStaleError
    from headwater.serve.read_as_of import HistoryGoneError as HistoryGoneError
    from headwater.serve.reports.bill import Account as Account
    from headwater.serve.reports.joins import Adaptation as Adaptation
    from headwater.serve.reports.joins import JoinStatus as JoinStatus
    from headwater.serve.reports.joins import StreamAllowance as StreamAllowance
    from headwater.serve.reports.sources import SourceStatus as SourceStatus
    from headwater.serve.reports.status import LastPush as LastPush
    from headwater.serve.reports.status import Status as Status
    from headwater.serve.reports.status import StoreStatus as StoreStatus
    from headwater.serve.reports.status import ViewStatus as ViewStatus
    from headwater.serve.reports.tables import KeyStaleness as KeyStaleness
    from headwater.serve.reports.tables import StaleKey as StaleKey
    from headwater.serve.reports.tables import StalenessBand as StalenessBand
    from headwater.serve.reports.tables import TableStatus as TableStatus
    from headwater.serve.reports.trees import TreeStatus as TreeStatus
    from headwater.serve.store.answering import QueryAnswer as QueryAnswer
    from headwater.serve.store.declared import DeclaredQuery as DeclaredQuery
    from headwater.serve.store.keeping.verification import VerifiedPart as VerifiedPart
    from headwater.serve.store.keeping.writing import Written as Written
    from headwater.storage.feed import FeedGoneError as FeedGoneError
    from headwater.storage.records.site_health import SiteHealth as SiteHealth
    from headwater.storage.records.slot_lag import SlotLag as SlotLag
    from headwater.storage.vacuum.inventory import Inventory as Inventory
    from headwater.storage.vacuum.inventory import TableStorage as TableStorage
    from headwater.storage.vacuum.vacuum import Removed as Removed
    from headwater.storage.vacuum.vacuum import Vacuumed as Vacuumed

__version__ = "0.1.0"  # the only place: pyproject.toml reads it from here

__all__ = [
    "Account",
    "Adaptation",
    "Added",
    "Answer",
    "Appended",
    "Bill",
    "Change",
    "Clock",
    "Costs",
    "DeadLetter",
    "DeclaredQuery",
    "Dropped",
    "Effect",
    "FeedGoneError",
    "FileFormat",
    "Headwater",
    "HeadwaterError",
    "HistoryGoneError",
    "InputError",
    "InternalError",
    "Inventory",
    "JoinStatus",
    "KeyStaleness",
    "LastPush",
    "Line",
    "ManualClock",
    "NeverComputedError",
    "Place",
    "Planned",
    "PlannedView",
    "Progress",
    "Project",
    "ProjectWarning",
    "QueryAnswer",
    "RefusedError",
    "Rejected",
    "Rejection",
    "Removed",
    "Retried",
    "Rows",
    "SiteHealth",
    "SlotLag",
    "Snapshot",
    "SourceStatus",
    "StaleKey",
    "StalenessBand",
    "Status",
    "StoreStatus",
    "StreamAllowance",
    "SystemClock",
    "Table",
    "TableStatus",
    "TableStorage",
    "TooStaleError",
    "TreeChange",
    "TreeStatus",
    "Vacuumed",
    "Verified",
    "VerifiedPart",
    "VerifiedTable",
    "ViewStatus",
    "Written",
    "__version__",
    "open",
]

_HOMES = {
    "Account": "headwater.serve.reports.bill",
    "Adaptation": "headwater.serve.reports.joins",
    "Added": "headwater.serve.planning.changing",
    "Answer": "headwater.serve.ad_hoc.answer",
    "Appended": "headwater.capture.intake.append",
    "Bill": "headwater.planning.cost.billing",
    "Change": "headwater.serve.changes",
    "Clock": "headwater.clock",
    "Costs": "headwater.planning.cost.billing",
    "DeadLetter": "headwater.capture.dead_letters",
    "DeclaredQuery": "headwater.serve.store.declared",
    "Dropped": "headwater.serve.planning.changing",
    "Effect": "headwater.serve.planning.planned",
    "FeedGoneError": "headwater.storage.feed",
    "FileFormat": "headwater.capture.ingest_file",
    "Headwater": "headwater.api",
    "HistoryGoneError": "headwater.serve.read_as_of",
    "Inventory": "headwater.storage.vacuum.inventory",
    "JoinStatus": "headwater.serve.reports.joins",
    "KeyStaleness": "headwater.serve.reports.tables",
    "LastPush": "headwater.serve.reports.status",
    "Line": "headwater.planning.cost.billing",
    "ManualClock": "headwater.clock",
    "NeverComputedError": "headwater.serve.read",
    "Planned": "headwater.serve.planning.planned",
    "PlannedView": "headwater.serve.planning.planned",
    "Progress": "headwater.engine.run.progress",
    "Project": "headwater.model",
    "ProjectWarning": "headwater.project.warning",
    "QueryAnswer": "headwater.serve.store.answering",
    "Rejected": "headwater.capture.rejected",
    "Rejection": "headwater.capture.intake.batch",
    "Removed": "headwater.storage.vacuum.vacuum",
    "Retried": "headwater.capture.retrying",
    "Rows": "headwater.serve.read",
    "SiteHealth": "headwater.storage.records.site_health",
    "SlotLag": "headwater.storage.records.slot_lag",
    "Snapshot": "headwater.engine.run.auditor",
    "SourceStatus": "headwater.serve.reports.sources",
    "StaleKey": "headwater.serve.reports.tables",
    "StalenessBand": "headwater.serve.reports.tables",
    "Status": "headwater.serve.reports.status",
    "StoreStatus": "headwater.serve.reports.status",
    "StreamAllowance": "headwater.serve.reports.joins",
    "SystemClock": "headwater.clock",
    "Table": "headwater.model",
    "TableStatus": "headwater.serve.reports.tables",
    "TableStorage": "headwater.storage.vacuum.inventory",
    "TooStaleError": "headwater.serve.read",
    "TreeChange": "headwater.planning.weaving.weave",
    "TreeStatus": "headwater.serve.reports.trees",
    "Vacuumed": "headwater.storage.vacuum.vacuum",
    "Verified": "headwater.engine.upkeep.verify",
    "VerifiedPart": "headwater.serve.store.keeping.verification",
    "VerifiedTable": "headwater.engine.upkeep.verify_shown",
    "ViewStatus": "headwater.serve.reports.status",
    "Written": "headwater.serve.store.keeping.writing",
    "open": "headwater.api",
}

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    """Import on first use, so that `headwater --help` and the pure packages start without Arrow."""
    if name not in _HOMES:
        raise AttributeError(f"module 'headwater' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
