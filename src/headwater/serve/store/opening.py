"""Which store a project has, and where."""

from __future__ import annotations

import os

from headwater.model import Project
from headwater.project.secrets import resolved_text
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.protocol import KeptStore

__all__ = ["open_store", "store_path"]


def store_path(storage: str) -> str:
    return os.path.join(storage, "store", "store.sqlite")


def open_store(project: Project) -> KeptStore:
    """The project's store; nothing is written before somebody writes to it."""
    if not project.store:
        return SqliteStore(store_path(project.storage))
    from headwater.serve.store.backends.postgres import PostgresStore

    return PostgresStore(resolved_text(project.store, "`store` in headwater.yml"), project.name)
