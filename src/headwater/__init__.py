"""Headwater keeps SQL views of changing data fresh, to a promise, at the lowest cost, on Apache Spark.

import headwater as hw

shop = hw.open("shop")
shop.ingest("orders", [{"order_id": 1, "customer_id": 7, "status": "placed", ...}])
shop.run_until_idle()
shop.read("open_orders").to_pylist()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError, InputError, RefusedError

if TYPE_CHECKING:
    from headwater.api import Headwater as Headwater
    from headwater.api import open as open
    from headwater.capture.append import Appended as Appended
    from headwater.serve.read import NeverComputedError as NeverComputedError
    from headwater.serve.read import Rows as Rows
    from headwater.serve.read import TooStaleError as TooStaleError
    from headwater.serve.status import Status as Status

__version__ = "0.1.0"
__all__ = [
    "Appended",
    "Headwater",
    "HeadwaterError",
    "InputError",
    "NeverComputedError",
    "RefusedError",
    "Rows",
    "Status",
    "TooStaleError",
    "open",
]

_HOMES = {
    "Headwater": "headwater.api",
    "open": "headwater.api",
    "Appended": "headwater.capture.append",
    "NeverComputedError": "headwater.serve.read",
    "Rows": "headwater.serve.read",
    "TooStaleError": "headwater.serve.read",
    "Status": "headwater.serve.status",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that `headwater --help` and the pure packages start without Arrow."""
    if name not in _HOMES:
        raise AttributeError(f"module 'headwater' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
