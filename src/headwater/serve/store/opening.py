"""Which store a project has, and where."""

from __future__ import annotations

import os

from headwater.model import Project
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.protocol import KeptStore

__all__ = ["open_store", "store_path"]


def store_path(storage: str) -> str:
    return os.path.join(storage, "store", "store.sqlite")


def open_store(project: Project) -> KeptStore:
    """The project's store; nothing is written before somebody writes to it."""
    return SqliteStore(store_path(project.storage))
