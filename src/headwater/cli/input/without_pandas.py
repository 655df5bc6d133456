"""Arrow without pandas: a command has nothing of pandas', and does not wait for it.

To make an array of a list, pyarrow asks whether that is one of pandas' own, and imports pandas to find out: a
quarter of the CPU of `headwater ingest`.  It asks once and remembers the answer, so it is asked here, while
there seems to be none.  `to_pandas` and Spark Connect import pandas themselves, and still find it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

__all__ = ["arrow_without_pandas"]


class _NoPandas(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def arrow_without_pandas() -> None:
    """Nothing where somebody uses pandas already."""
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    blind = _NoPandas()
    sys.meta_path.insert(0, blind)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(blind)
