"""What writes files, taken apart into effects: os, open, pyarrow's Parquet; delta-rs in delta_rs.py.

Whatever is called in a way that is not known here raises, so that no write goes unseen.
"""

from __future__ import annotations

import builtins
import fcntl
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace, TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.storage.vacuum import table_files
from support.crashes.delta_rs import delta_rs_patches
from support.crashes.file_system import Blocked, FileSystem
from support.crashes.remembered import remembered_files, remembered_logs

__all__ = ["patched"]

_open, _write_table, _flock = builtins.open, pq.write_table, fcntl.flock
_os = {
    name: getattr(os, name)
    for name in (
        "open", "mkdir", "rmdir", "link", "unlink", "rename", "replace", "pwrite", "write", "ftruncate",
        "fsync", "fdatasync",
    )
}  # fmt: skip


@contextmanager
def patched(files: FileSystem) -> Iterator[FileSystem]:
    """Everything that is written below the folder is an effect of `files`."""
    patches = [
        (builtins, "open", partial(_open_file, files)),
        (io, "open", partial(_open_file, files)),
        (shutil, "_USE_CP_SENDFILE", False),
        (fcntl, "flock", partial(_lock, files)),
        (pq, "write_table", partial(_parquet, files)),
        (os, "remove", partial(_unlink, files)),
        *((os, name, partial(globals()[f"_{name}"], files)) for name in _os if name != "open"),
        (os, "open", partial(_descriptor, files)),
        *delta_rs_patches(files),
        (table_files, "_status", partial(_aged, files)),
        *remembered_logs(),
        *remembered_files(),
    ]
    originals = [(owner, name, owner.__dict__[name]) for owner, name, _ in patches]
    try:
        for owner, name, value in patches:
            setattr(owner, name, value)
        yield files
    finally:
        for owner, name, value in originals:
            setattr(owner, name, value)


# Contents


def _open_file(files: FileSystem, file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
    if not set(mode) & set("wax+") or not files.holds(file):
        return _open(file, mode, *args, **options)
    assert mode in ("w", "wb"), f"crash points do not know files opened with {mode}"
    return Draft(files, os.path.abspath(file), text="b" not in mode)


class Draft:
    """A file being written: empty at first; what is flushed is there by half, then all of it."""

    def __init__(self, files: FileSystem, path: str, text: bool) -> None:
        files.effect("create", path)
        self._files, self._path, self._text = files, path, text
        if not os.path.exists(path):
            files.unsynced.named(path)
        self._raw = _open(path, "wb", buffering=0)
        self._buffer = b""

    def write(self, content: Any) -> int:
        self._buffer += content.encode() if self._text else bytes(content)
        return len(content)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if not self._buffer:
            return
        half = len(self._buffer) // 2
        self._files.effect("half of", self._path)
        self._raw.write(self._buffer[:half])
        self._files.unsynced.wrote(self._path, b"")
        self._files.effect("content of", self._path)
        self._raw.write(self._buffer[half:])
        self._buffer = b""

    def fileno(self) -> int:
        return self._raw.fileno()

    @property
    def closed(self) -> bool:
        return self._raw.closed

    def close(self) -> None:
        try:
            self.flush()
        finally:
            self._raw.close()

    def __enter__(self) -> Draft:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        self._raw.close()


def _parquet(files: FileSystem, table: pa.Table, where: Any, *args: Any, **options: Any) -> None:
    if not files.holds(where):
        _write_table(table, where, *args, **options)
        return
    content = pa.BufferOutputStream()
    _write_table(table, content, *args, **options)
    with Draft(files, os.path.abspath(where), text=False) as file:
        file.write(content.getvalue())


def _pwrite(files: FileSystem, descriptor: int, content: bytes, offset: int) -> int:
    return _overwrite(files, "pwrite", descriptor, content, offset)


def _write(files: FileSystem, descriptor: int, content: bytes) -> int:
    return _overwrite(files, "write", descriptor, content)


def _ftruncate(files: FileSystem, descriptor: int, length: int) -> None:
    _overwrite(files, "ftruncate", descriptor, length)


def _overwrite(files: FileSystem, call: str, descriptor: int, *args: Any) -> Any:
    path = _path_of(descriptor)
    if files.holds(path):
        files.effect(call, path)
        files.unsynced.wrote(path, _content(path))
    return _os[call](descriptor, *args)


# Names


def _descriptor(
    files: FileSystem, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
) -> int:
    target = _full(path, dir_fd)
    if flags & os.O_CREAT and files.holds(target) and not os.path.exists(target):
        files.effect("create", target)
        files.unsynced.named(target)
    return _os["open"](path, flags, mode, dir_fd=dir_fd)


def _mkdir(files: FileSystem, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
    target = _full(path, dir_fd)
    if files.holds(target) and not os.path.exists(target):
        files.effect("mkdir", target)
        files.unsynced.named(target)
    _os["mkdir"](path, mode, dir_fd=dir_fd)


def _rmdir(files: FileSystem, path: Any, *, dir_fd: int | None = None) -> None:
    if files.holds(target := _full(path, dir_fd)):
        files.effect("rmdir", target)
    _os["rmdir"](path, dir_fd=dir_fd)


def _unlink(files: FileSystem, path: Any, *, dir_fd: int | None = None) -> None:
    target = _full(path, dir_fd)
    if files.holds(target) and os.path.exists(target):
        files.effect("unlink", target)
        files.unsynced.unnamed(target, _content(target))
    _os["unlink"](path, dir_fd=dir_fd)


def _link(files: FileSystem, source: Any, target: Any, **options: Any) -> None:
    if files.holds(target) and not os.path.exists(target):
        files.effect("link", target)
        files.unsynced.named(target)
    _os["link"](source, target, **options)


def _rename(files: FileSystem, source: Any, target: Any) -> None:
    _renamed(files, "rename", source, target)


def _replace(files: FileSystem, source: Any, target: Any) -> None:
    _renamed(files, "replace", source, target)


def _renamed(files: FileSystem, call: str, source: Any, target: Any) -> None:
    if files.holds(target):
        files.effect(call, target)
        if os.path.isfile(target):
            files.unsynced.unnamed(target, _content(target))
        else:
            files.unsynced.named(target)
    _os[call](source, target)


# Syncs and locks


def _fsync(files: FileSystem, descriptor: Any) -> None:
    path = _path_of(descriptor if isinstance(descriptor, int) else descriptor.fileno())
    if files.holds(path):
        files.effect("sync", path)
        files.unsynced.synced(path)  # not really: a test is not cut off from power


_fdatasync = _fsync


def _lock(files: FileSystem, descriptor: Any, operation: int) -> None:
    if not files.between:
        _flock(descriptor, operation)
        return
    try:
        _flock(descriptor, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        if operation & fcntl.LOCK_NB:
            raise
        raise Blocked from None


# Ages


def _aged(files: FileSystem, path: str) -> Any:
    """What a vacuum sees of a file: it was changed when its name came into being, or when it was written.

    Links to it from outside, by which states are kept, are none of its business.
    """
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    changed = status.st_ctime_ns if os.path.abspath(path) in files.young else status.st_mtime_ns
    return SimpleNamespace(st_size=status.st_size, st_mtime_ns=status.st_mtime_ns, st_ctime_ns=changed)


def _path_of(descriptor: int) -> str:
    return os.readlink(f"/proc/self/fd/{descriptor}")


def _full(path: Any, folder: int | None) -> str:
    return os.fspath(path) if folder is None else os.path.join(_path_of(folder), path)


def _content(path: str) -> bytes:
    with _open(path, "rb") as file:
        return file.read()
