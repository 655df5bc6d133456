"""Calls of delta-rs taken apart into effects: done once for real, then again one file at a time.

delta-rs writes each file under another name (`...#1`) and links or renames it when it is complete.  Files that a
call adds come in this order: data, checkpoints, commits by version, the pointer to the last checkpoint; then what
it removes, the oldest first.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deltalake import DeltaTable
from deltalake.table import TableAlterer, TableOptimizer

if TYPE_CHECKING:
    from support.crashes.file_system import FileSystem

__all__ = ["delta_rs_patches"]

Tree = dict[str, bytes | None]  # by path: a file's content, or None for a folder
Change = tuple[str, str, Callable[[], None]]  # what, the path, and how to make it


def delta_rs_patches(files: FileSystem) -> Iterator[tuple[Any, str, Any]]:
    """What in delta-rs writes, with what to put in its place."""
    create = DeltaTable.__dict__["create"].__func__

    def create_in_steps(owner: type[DeltaTable], table_uri: Any, *args: Any, **options: Any) -> Any:
        return _in_steps(files, str(table_uri), lambda: create(owner, table_uri, *args, **options))

    yield DeltaTable, "create", classmethod(create_in_steps)
    for owner, name in (
        (DeltaTable, "create_checkpoint"), (DeltaTable, "cleanup_metadata"), (DeltaTable, "vacuum"),
        (TableOptimizer, "compact"), (TableAlterer, "add_columns"),
    ):  # fmt: skip
        yield owner, name, _method(files, owner.__dict__[name])


def _method(files: FileSystem, original: Any) -> Any:
    def in_steps(self: Any, *args: Any, **options: Any) -> Any:
        table = self if isinstance(self, DeltaTable) else self.table
        path = table.table_uri.removeprefix("file://")
        return _in_steps(files, path, lambda: original(self, *args, **options))

    return in_steps


def _in_steps(files: FileSystem, folder: str, call: Callable[[], Any]) -> Any:
    if not files.holds(folder) or files.between:
        return call()
    files.effect("delta-rs", folder)
    with files.ignored():
        before = _tree(folder)
        result = call()
        changes = list(_changes(before, _tree(folder)))
        again = files.stops_within(len(changes))
        if again:
            _restore(folder, before)
    for what, path, make in changes:
        files.effect(what, path)
        if again:
            with files.ignored():
                make()
        if what == "unlink":
            files.unsynced.unnamed(path, before[path] or b"")
        else:
            files.unsynced.named(path)
            if what != "mkdir":
                files.unsynced.wrote(path, b"")
    return result


def _tree(folder: str) -> Tree:
    paths = Path(folder).rglob("*") if os.path.isdir(folder) else ()
    tree: Tree = {str(path): path.read_bytes() if path.is_file() else None for path in paths}
    return {folder: None, **tree} if os.path.isdir(folder) else {}


def _restore(folder: str, tree: Tree) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in sorted(tree.items()):
        _make(path, content)


def _make(path: str, content: bytes | None) -> None:
    if content is None:
        os.makedirs(path, exist_ok=True)
    else:
        Path(path).write_bytes(content)


def _changes(before: Tree, after: Tree) -> Iterator[Change]:
    for path in sorted(path for path, content in after.items() if content is None and path not in before):
        yield "mkdir", path, lambda path=path: _make(path, None)
    written = [path for path, content in after.items() if content is not None and before.get(path) != content]
    for path in sorted(written, key=_order):
        content = after[path] or b""
        staged = f"{path}#1"
        yield "half of", staged, lambda staged=staged, half=content[: len(content) // 2]: _make(staged, half)
        yield "link", path, lambda path=path, staged=staged, content=content: _complete(path, staged, content)
    for path in sorted(path for path, content in before.items() if content is not None and path not in after):
        yield "unlink", path, lambda path=path: os.unlink(path)


def _complete(path: str, staged: str, content: bytes) -> None:
    _make(staged, content)
    os.replace(staged, path)


def _order(path: str) -> tuple[int, str]:
    name = os.path.basename(path)
    if "_delta_log" not in path:
        return 0, path
    return (
        1 if "checkpoint" in name and name.endswith(".parquet") else 3 if name == "_last_checkpoint" else 2
    ), path
