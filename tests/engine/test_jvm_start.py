"""How the JVM starts: flags by lifetime, and an archive of classes that is used if it is there and never in the way."""

from __future__ import annotations

import atexit
import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.engine.spark import class_archive, jvm
from headwater.engine.spark.class_archive import QUIET, archive, archive_options
from headwater.engine.spark.jvm import Lifetime, compiler_options, expect, lifetime_of, lifetime_of_work


@pytest.fixture(autouse=True)
def stated() -> Iterator[None]:
    """What a test states about this process is forgotten after it."""
    before = jvm._process
    jvm._process = jvm._Process()
    yield
    jvm._process = before


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, beside a Java that is only looked at."""
    java = tmp_path / "java-home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch()
    (tmp_path / "java-home" / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="17.0.1"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java-home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "headwater"


@pytest.fixture
def at_exit(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What would be done when this process ends."""
    calls: list[Callable[[], object]] = []
    monkeypatch.setattr(atexit, "register", lambda call, *args: calls.append(lambda: call(*args)))
    return calls


def ending_jvm(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """In place of the JVM, a process that does this when its standard input is closed."""
    process = subprocess.Popen(["/bin/sh", "-c", f"cat >/dev/null; {script}"], stdin=subprocess.PIPE)
    monkeypatch.setattr(class_archive.SparkContext, "_gateway", SimpleNamespace(proc=process))


def test_short_lives_compile_quickly_and_long_ones_well() -> None:
    assert "-XX:TieredStopAtLevel=1" not in compiler_options()
    expect(Lifetime.SHORT)
    quick = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m")
    assert compiler_options() == (*quick, "-XX:+UseSerialGC")
    assert compiler_options("-Dx=y -XX:+UseG1GC") == quick


def test_a_lifetime_is_a_duration_or_an_amount_of_work() -> None:
    assert lifetime_of(None) is lifetime_of(timedelta(minutes=2)) is Lifetime.LONG
    assert lifetime_of(timedelta(seconds=60)) is Lifetime.SHORT

    def source(rows: int, exists: bool = True) -> Any:
        return SimpleNamespace(exists=lambda: exists, snapshot=lambda: SimpleNamespace(rows=rows))

    assert (
        lifetime_of_work([]) is lifetime_of_work([source(10), source(10**9, exists=False)]) is Lifetime.SHORT
    )
    assert lifetime_of_work([source(600_000), source(600_000)]) is Lifetime.LONG


def test_an_archive_is_made_only_by_a_process_that_may_take_the_time(cache: Path, at_exit: list[Any]) -> None:
    assert archive_options({}, leave_one=False) == ()
    assert not cache.exists()
    making, *quiet = archive_options({}, leave_one=True)
    assert making.startswith(f'"-XX:ArchiveClassesAtExit={cache}/spark-')
    assert tuple(quiet) == QUIET
    assert len(at_exit) == 1


def test_it_takes_its_place_when_the_jvm_has_ended(
    cache: Path, at_exit: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    partial = archive_options({}, leave_one=True)[0].strip('"').partition("=")[2]
    ending_jvm(monkeypatch, f"printf 12345 > '{partial}'")
    at_exit[0]()
    (path,) = cache.iterdir()
    assert path == archive()
    assert path.name.endswith("-5.jsa")
    assert "java-17.0.1-" in path.name
    assert archive_options({}, leave_one=True) == (f'"-XX:SharedArchiveFile={path}"', *QUIET)
    path.write_text("1234")  # cut short: the JVM would crash on it
    assert archive() is None


@pytest.mark.parametrize("script", ["printf 12 > '{}'; exit 1", "exit 0"], ids=["failed", "wrote nothing"])
def test_a_jvm_that_fails_leaves_no_archive(
    cache: Path, at_exit: list[Any], monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    partial = archive_options({}, leave_one=True)[0].strip('"').partition("=")[2]
    ending_jvm(monkeypatch, script.format(partial))
    at_exit[0]()
    assert list(cache.iterdir()) == []


def test_archives_that_nobody_uses_are_removed(
    cache: Path, at_exit: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_options({}, leave_one=True)
    for name in ("spark-1-java-8-abc-3.jsa", "spark-1-java-8-abc.partial-7", "notes.txt"):
        (cache / name).touch()
        os.utime(cache / name, (0, 0))
    ending_jvm(monkeypatch, "exit 1")
    at_exit[0]()
    assert [path.name for path in cache.iterdir()] == ["notes.txt"]


def test_without_java_or_a_folder_spark_starts_as_usual(
    cache: Path, tmp_path: Path, at_exit: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert archive_options({"spark.jars": "mine.jar"}, leave_one=True) == ()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert archive_options({}, leave_one=True) == ()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert archive_options({}, leave_one=True) == ()
    assert at_exit == []


def test_an_environment_that_is_a_link_has_the_archive_of_the_real_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark names its jars by their real path, so both start the same JVM."""
    real = class_archive._stem()
    (tmp_path / "pyspark").symlink_to(Path(class_archive.pyspark.__file__).parent)
    monkeypatch.setattr(class_archive.pyspark, "__file__", str(tmp_path / "pyspark" / "__init__.py"))
    assert class_archive._stem() == real


@pytest.mark.spark
def test_the_jvm_says_nothing_about_an_archive_that_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "bad.jsa").write_text("not an archive")
    java = class_archive._java()
    assert java is not None

    def said(*options: str) -> str:
        done = subprocess.run([java, *options, "-version"], capture_output=True, text=True, check=True)
        return done.stdout + done.stderr.replace(", sharing", "")

    for path in (tmp_path / "bad.jsa", tmp_path / "missing.jsa", archive()):
        if path is not None:
            assert said(f"-XX:SharedArchiveFile={path}", *QUIET) == said()
