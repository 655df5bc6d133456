"""A real Chromium, for tests of the page: started once, every page of it watched for errors."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIETLY = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
PATIENCE_MS = 60_000  # a loaded machine may be slow
LOOK_MS = 100


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser; the test is skipped, with the reason, where there is none."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("there is no Chromium: install Debian's package chromium to test the page")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(QUIETLY))
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Window:
    """A page in a browser, of a server."""

    page: Any
    address: str
    errors: list[str]

    def go(self, path: str, shows: str) -> Any:
        """Open a path (the part after #) and wait until something is there; returns the page."""
        self.page.goto(f"{self.address}/#/{path}")
        self.page.locator(shows).first.wait_for()
        return self.page

    def wait_until(self, expression: str) -> None:
        """Wait until an expression is true; Playwright's own way is refused by the page's content policy."""
        for _ in range(PATIENCE_MS // LOOK_MS):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(LOOK_MS)
        raise AssertionError(f"not true after {PATIENCE_MS} ms: {expression}")

    def text(self) -> str:
        return str(self.page.locator("main").inner_text())


@contextmanager
def window(browser: Any, address: str, width: int = 1280, scheme: str = "light") -> Iterator[Window]:
    """A window of its own; fails if anything was wrong in it: an error, a refused style, a failed load."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    opened = Window(page, address, [])
    page.on(
        "console",
        lambda said: opened.errors.append(said.text) if said.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: opened.errors.append(str(error)))
    try:
        yield opened
        assert opened.errors == [], "\n".join(opened.errors)
    finally:
        context.close()
