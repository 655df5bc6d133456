"""`plan` does each thing once: what it costs grows with the views, not with how often they are looked at.

No test measures time (`headwater bench plan` does); these count.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headwater
import headwater.catalog
import headwater.planning.cost.costs
import headwater.planning.search.admission
import headwater.sql.parsing.parser
from headwater.bench.planning.projects import write_six_sites, write_sql, write_windows
from headwater.planning.weaving.weave import Weaver
from headwater.sql.parsing.dialect import Headwater as Dialect


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the functions below were called."""
    calls: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        function: Callable[..., Any] = getattr(owner, name)

        def counting(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return function(*arguments, **named)

        monkeypatch.setattr(owner, name, counting)

    count(headwater.sql.parsing.parser, "_parse")
    count(Dialect, "tokenize")
    count(headwater.catalog, "translate")
    count(Weaver, "weave")
    count(headwater.planning.cost.costs, "_longest")
    count(headwater.planning.search.admission, "smallest_freshness")
    return calls


def test_windows_are_read_translated_and_woven_once(tmp_path: Path, counted: Counter[str]) -> None:
    write_windows(tmp_path, 30)
    planned = headwater.open(str(tmp_path)).plan()
    assert len(planned.woven.trees) > 0
    assert counted["_parse"] == counted["translate"] == 30
    assert counted["tokenize"] == 1  # the file; the tokens of each SELECT are among them
    assert counted["weave"] == 1


def test_sql_is_read_and_translated_once(tmp_path: Path, counted: Counter[str]) -> None:
    write_sql(tmp_path, 40)
    headwater.open(str(tmp_path)).plan()
    assert counted["translate"] == 40
    assert counted["_parse"] <= 1.2 * 40  # a few forms are rewritten and parsed again


def test_paths_are_looked_for_where_a_plan_has_changed(tmp_path: Path, counted: Counter[str]) -> None:
    write_six_sites(tmp_path)
    planned = headwater.open(str(tmp_path)).plan()
    assert planned.admitted
    assert counted["smallest_freshness"] == 0  # nobody asks, unless a view is refused
    assert counted["_longest"] < 25 * 40


def test_planning_needs_no_pandas(tmp_path: Path) -> None:
    """Importing it takes a third of a second, and Arrow imports it where rows are read."""
    write_windows(tmp_path, 2)
    program = (
        "import sys, headwater; headwater.open(sys.argv[1]).plan();"
        " print(sorted({'pandas', 'duckdb', 'pyspark'} & sys.modules.keys()))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert ended.stdout == "[]\n"
