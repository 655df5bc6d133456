"""The routes that the page needs besides: what is live, what is explained, what it costs, what changes."""

from __future__ import annotations

from headwater.serve.http.routes import changing, costs, explained, live, page, verifying

__all__ = ["PAGE_ROUTERS"]

PAGE_ROUTERS = (
    live.router, explained.router, costs.router, changing.router, verifying.router, page.router,
)  # fmt: skip
