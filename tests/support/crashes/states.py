"""A folder as it was before a step, and before each effect of the step.

A step that is killed leaves what was there before its next effect.  So it is done once, the folder is kept as it is before
each effect, and each of these states can be looked at by itself.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.crashes.file_system import FileSystem

__all__ = ["States"]


@dataclass(slots=True)
class States:
    folder: Path
    files: FileSystem
    age_s: int = 0  # how old everything is that was there before the step

    @property
    def _saved(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-saved")

    @property
    def _kept(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-states")

    def save(self) -> None:
        """The folder is from now on as it was before the step."""
        self.files.young.clear()
        with self.files.ignored():
            shutil.rmtree(self._saved, ignore_errors=True)
            shutil.copytree(self.folder, self._saved, copy_function=_linked)
            then = time.time() - self.age_s
            for entry in _below(self._saved):
                os.utime(entry.path, (then, then))

    def restore(self, linked: bool = True) -> None:
        """As it was before the step. `linked`: nobody damages files that are there, so they need no copies."""
        with self.files.ignored():
            shutil.rmtree(self.folder)
            shutil.copytree(self._saved, self.folder, copy_function=_linked if linked else shutil.copyfile)
        self.files.unsynced.changes.clear()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Keep the folder as it is before each effect of what is done in here."""
        with self.files.ignored():
            shutil.rmtree(self._kept, ignore_errors=True)
            self._kept.mkdir()
            unchanged = {entry.inode() for entry in _below(self._saved) if entry.is_file()}
        with self.files.watched(lambda: self._keep(unchanged)):
            yield

    def _keep(self, unchanged: Set[int]) -> None:
        with self.files.ignored():
            _copied(self.folder, self._kept / str(len(self.files.trace)), unchanged)

    def as_before(self, number: int) -> None:
        """As it was before an effect; once for each."""
        with self.files.ignored():
            shutil.rmtree(self.folder)
            os.rename(self._kept / str(number), self.folder)


def _linked(source: str, target: str) -> None:
    """Files are never written again, but for the clocks."""
    if f"{os.sep}clocks{os.sep}" in source:
        shutil.copyfile(source, target)
    else:
        os.link(source, target)


def _below(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    for entry in os.scandir(folder):
        yield entry
        if entry.is_dir():
            yield from _below(entry.path)


def _copied(folder: str | Path, target: str | Path, unchanged: Set[int]) -> None:
    """A folder again; files that are as they were before (by their inodes) are linked, the others may still change."""
    os.mkdir(target)
    for entry in os.scandir(folder):
        copy = os.path.join(target, entry.name)
        if entry.is_dir():
            _copied(entry.path, copy, unchanged)
        elif entry.inode() in unchanged:
            os.link(entry.path, copy)
        else:
            shutil.copyfile(entry.path, copy)
