"""What Headwater's server is compared with: FastAPI, uvicorn and a prepared statement of PostgreSQL.

    python -m headwater.bench.store.plain_http PORT URI

Each thread of the pool that FastAPI runs routes in has a connection of its own.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

__all__ = ["SQL", "main"]

SQL = "SELECT * FROM item JOIN author ON a_id = i_a_id WHERE i_id = %s"


def main(port: int, uri: str) -> None:
    import psycopg
    import uvicorn
    from fastapi import FastAPI
    from psycopg.rows import dict_row

    app, connections = FastAPI(), threading.local()

    @app.get("/queries/product_detail")
    def product_detail(item: int) -> dict[str, Any]:
        if not hasattr(connections, "own"):
            connections.own = psycopg.connect(uri, autocommit=True, row_factory=dict_row)
        return {"rows": connections.own.execute(SQL, (item,), prepare=True).fetchall()}

    uvicorn.run(app, host="127.0.0.1", port=port, http="h11", access_log=False, log_config=None)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
