"""What a run writes about its sites can be read from outside."""

from __future__ import annotations

import os
from pathlib import Path

from headwater.storage.records.site_health import SiteHealth, read_health, write_health


def test_health_is_written_and_read(tmp_path: Path) -> None:
    root = str(tmp_path / "warehouse")
    assert read_health(root) is None
    first = {
        "a": SiteHealth("a", True, 1, 5),
        "b": SiteHealth("b", False, 2, None, "ConnectionError: refused"),
    }
    write_health(root, first, 6)
    assert read_health(root) == (6, first)
    write_health(root, {"a": SiteHealth("a", True, 1, 9)}, 10)
    assert read_health(root) == (10, {"a": SiteHealth("a", True, 1, 9)})
    assert os.listdir(root) == ["sites.json"]
