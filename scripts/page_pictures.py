"""Pictures of every part of the page, light and dark, for the docs: of a server that runs.

Usage: page_pictures.py ADDRESS. Start one with `headwater demo`, or with `headwater run shop --page`.
"""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "page"
PAGES = {
    "overview": "",
    "view": "views/order_lines",
    "plan": "plan?view=order_lines",
    "pressure": "pressure",
    "bill": "bill",
    "queries": "queries/recent_orders",
    "sources": "sources/orders",
    "add": "add",
}
SIZE = {"width": 1280, "height": 800}
LOOKS_S = 3  # for charts to be drawn and answers to come


def main(address: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_context(viewport=SIZE, color_scheme=scheme).new_page()
            for name, path in PAGES.items():
                page.goto(f"{address}/#/{path}")
                page.wait_for_timeout(LOOKS_S * 1000)
                picture = Image.open(BytesIO(page.screenshot())).convert(
                    "P", palette=Image.Palette.ADAPTIVE, colors=256
                )
                picture.save(FOLDER / f"{name}-{scheme}.png", optimize=True)
                print(f"{name}, {scheme}")


if __name__ == "__main__":
    main(sys.argv[1])
