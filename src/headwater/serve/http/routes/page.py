"""`/` and `/assets/...`: the page, whose built files are part of the package (page/ has its sources).

The page holds no data and needs no key: it asks the other routes, with the key that its reader enters.  Names
of assets change with their content, so browsers may keep them for ever; the page itself is asked for anew.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request
from starlette.responses import Response

from headwater.serve.http.answers import etag_of
from headwater.serve.http.problems import Problem
from headwater.serve.http.serving import Serving

__all__ = ["router"]

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
FOR_EVER = "public, max-age=31536000, immutable"


def router(serving: Serving) -> APIRouter:
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    def page(request: Request) -> Response:
        """The page itself."""
        body = _page()
        etag = etag_of(body)
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        return Response(body, headers=headers, media_type=TYPES["html"])

    @routes.get("/assets/{name}")
    def asset(name: str) -> Response:
        """A file that the page is made of."""
        assets = _assets()
        if name not in assets:
            raise Problem("HW964", "there is no such file of the page", 404, hint="Load the page again.")
        kind = TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")
        return Response(assets[name], headers={"Cache-Control": FOR_EVER}, media_type=kind)

    return routes


def _built() -> Traversable:
    return files("headwater") / "page" / "dist"


@cache
def _page() -> bytes:
    return (_built() / "index.html").read_bytes()


@cache
def _assets() -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (_built() / "assets").iterdir()}
