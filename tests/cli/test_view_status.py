"""The views of `headwater status`: beside "full" stands why, where a view is kept incrementally."""

from __future__ import annotations

import pytest

from headwater.cli.show.view_status import print_view_status
from headwater.serve.reports.status import LastPush, Status, ViewStatus

REASON = "a full recompute is expected to take 0.20 s, the delta 0.90 s"


def view(mode: str, refresh: str, error: str = "", reason: str = REASON) -> ViewStatus:
    last = LastPush(0, mode, reason, 1, 1, 0.1, 0.1, error)
    return ViewStatus("v", 1, 2.0, 20.0, 0, 7, 3, 0.0, 0.1, refresh, last, error)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (view("full", "incremental"), f"v: the last refresh was full: {REASON}"),
        (view("incremental", "incremental"), ""),
        (view("full", "full", reason="no delta rule"), ""),  # it always is: `plan` says why
        (view("full", "incremental", "it fails"), "v: it fails"),
    ],
    ids=["a view with a delta was recomputed", "by its delta", "always full", "failed"],
)
def test_why_a_refresh_was_full(
    shown: ViewStatus, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    print_view_status(Status("shop", 0, None, (), (shown,)))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("v: ")]
    assert lines == ([said] if said else [])
