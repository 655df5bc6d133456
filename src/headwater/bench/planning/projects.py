"""The projects that are planned: written as a user would write them, and never run.

sharings   the 25 sharings of SMILE's Table 1 on six sites: a search for joins, and sharing between sites
sql        views of TPC-H, TPC-DS, Nexmark and typical models (views/): much SQL, sharing where it pays
windows    windows over one stream of quotes, with slides up to 25 s and an overlap up to 100: weaving
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from headwater.bench.smile.workload.project import Shape, write_project
from headwater.bench.weave.execution.views import select, window_views

__all__ = ["VIEW_FILES", "VIEW_FOLDER", "write_six_sites", "write_sql", "write_windows"]

VIEW_FOLDER = Path(__file__).parent / "views"
VIEW_FILES = ("tpch", "tpcds", "nexmark", "models")
_QUOTES = (
    "CREATE TABLE quotes (id BIGINT, symbol STRING, price DECIMAL(12,4), quoted_at TIMESTAMP)"
    " EXPECT ROWS 1000000 RATE 5000 PER SECOND;\n"
)


def write_six_sites(folder: Path) -> None:
    write_project(folder, Shape(sites=6))


def write_sql(folder: Path, views: int = 100) -> None:
    """The first so many views, over all tables."""
    statements = list(_statements())
    tables = [text for text in statements if text.startswith("CREATE TABLE")]
    declared = [text for text in statements if text.startswith("CREATE MATERIALIZED VIEW")]
    _write(folder, "sql", [*tables, *declared[:views]])


def _statements() -> Iterator[str]:
    for name in VIEW_FILES:
        text = (VIEW_FOLDER / f"{name}.sql").read_text(encoding="utf-8")
        if name == "models":  # TPC-H has orders, too
            text = re.sub(r"\borders\b", "shop_orders", text)
        yield from re.split(r"(?m)^(?=CREATE )", text)


def write_windows(folder: Path, views: int = 1_000) -> None:
    declared = (
        f"CREATE MATERIALIZED VIEW {query.id} FRESHNESS = INTERVAL '60' SECOND AS {select(query)};\n"
        for query in window_views(views)
    )
    _write(folder, "windows", [_QUOTES, *declared])


def _write(folder: Path, name: str, statements: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headwater.yml").write_text(f"name: {name}\n", encoding="utf-8")
    (folder / "views.sql").write_text("".join(statements), encoding="utf-8")
