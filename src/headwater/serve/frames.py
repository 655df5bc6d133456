"""Rows as DataFrames of the libraries that a program already uses; neither is a dependency of Headwater."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

__all__ = ["Frames"]


class Frames:
    """What has an Arrow `table` can be had as a DataFrame too."""

    __slots__ = ()
    table: pa.Table

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame; pandas must be installed."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """The rows as a polars.DataFrame; polars must be installed."""
        import polars

        return polars.from_arrow(self.table)
