"""Ctrl-C at processes of their own: honoured at once while Spark starts and while streams are captured."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import process, wait_for

pytestmark = [pytest.mark.cli, pytest.mark.long]

SQL = """
CREATE TABLE ticks (value BIGINT) USING stream OPTIONS (format 'rate', rowsPerSecond '100');
CREATE MATERIALIZED VIEW n FRESHNESS = INTERVAL '2' SECOND AS SELECT count(*) AS n FROM ticks;
"""


@pytest.mark.parametrize(
    ("words", "begun"),
    [
        ((), lambda log: "starting Spark" in log),
        (("--until-idle",), lambda log: "starting Spark" in log),
        ((), lambda log: "captured" in log or "pushes 1" in log),
    ],
    ids=["Spark starts", "Spark starts, until idle", "a stream is captured"],
)
@pytest.mark.parametrize("times", [1, 2])
def test_a_run_ends(tmp_path: Path, words: tuple[str, ...], begun: Callable[[str], bool], times: int) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "shop.sql").write_text(SQL)
    log = tmp_path / "log.txt"
    with process(log, "run", tmp_path, *words) as run:
        wait_for(lambda: begun(log.read_text()))
        run.send_signal(signal.SIGINT)
        wait_for(lambda: "stopping" in log.read_text())
        if times == 2:
            run.send_signal(signal.SIGINT)
        run.wait(timeout=300)
    printed = log.read_text()
    if times == 2 and run.returncode == 0:
        pytest.skip("it had stopped before the second Ctrl-C")
    assert run.returncode == (0 if times == 1 else 130)
    assert "Traceback" not in printed
    assert "Exception" not in printed
