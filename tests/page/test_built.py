"""The built page is part of the package: made from the sources that are here, small, and nothing loaded from elsewhere."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import headwater

SOURCES = Path(__file__).parents[2] / "page"
BUILT = Path(headwater.__file__).parent / "page" / "dist"
LEFT_OUT = {"node_modules", "README.md"}  # as in page/sources.ts
MOST = 300_000  # bytes, compressed
NAMESPACES = {"http://www.w3.org"}


def test_it_is_as_new_as_its_sources() -> None:
    digest = hashlib.sha256()
    paths = {path.relative_to(SOURCES) for path in SOURCES.rglob("*") if path.is_file()}
    for path in sorted(path.as_posix() for path in paths if LEFT_OUT.isdisjoint(path.parts)):
        digest.update(path.encode() + b"\0" + (SOURCES / path).read_bytes() + b"\0")
    built = (BUILT / "sources.sha256").read_text().strip()
    assert built == digest.hexdigest(), (
        "page/ has changed since it was built: run `make page` and commit the result"
    )


def test_it_is_small() -> None:
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in BUILT.rglob("*") if path.is_file()}
    assert sum(sizes.values()) < MOST, sizes


def test_it_holds_no_script_and_no_style_of_its_own() -> None:
    text = (BUILT / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=", text)
    assert re.findall(r"<script[^>]*>([^<]*)</script>", text) == [""]


def test_nothing_is_loaded_from_elsewhere() -> None:
    index = (BUILT / "index.html").read_text()
    addresses = re.findall(r'(?:src|href)="([^"]*)"', index)
    assert addresses
    assert all(address.startswith("/assets/") for address in addresses)
    loads = re.compile(r"""(?:fetch\(|import\(|url\(|src=)\s*["'`]?(https?://[^/"'`)]+)""")
    for path in (BUILT / "assets").iterdir():
        assert not set(loads.findall(path.read_text("utf-8"))) - NAMESPACES, path.name


def test_no_lock_file_names_a_registry() -> None:
    assert '"resolved"' not in (SOURCES / "package-lock.json").read_text()
