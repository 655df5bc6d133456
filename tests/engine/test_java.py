"""Spark needs a Java: what is wrong with the one that is there is said before Spark is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from headwater.engine.spark.java import check_java
from headwater.errors import InputError


def java(folder: Path, release: str | None, prints: str = "") -> Path:
    """A folder that looks like a Java's; returns it."""
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / "java"
    program.write_text(f"#!/bin/sh\necho '{prints}' >&2\n")
    program.chmod(0o755)
    if release is not None:
        (folder / "release").write_text(release)
    return folder


def refusal(environment: dict[str, str]) -> str:
    with pytest.raises(InputError) as raised:
        check_java(["local[*]"], environment)
    assert raised.value.code == "HW813"
    assert raised.value.hint
    return raised.value.message


def test_none_at_all(tmp_path: Path) -> None:
    assert refusal({"PATH": str(tmp_path)}) == "Spark needs Java 17 or newer, and there is none"


def test_a_wrong_java_home(tmp_path: Path) -> None:
    good = java(tmp_path / "good", 'JAVA_VERSION="21.0.1"\n')
    environment = {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(good / "bin")}
    assert refusal(environment) == f"JAVA_HOME is {tmp_path / 'gone'}, and there is no Java"


@pytest.mark.parametrize(
    ("release", "prints"),
    [('IMPLEMENTOR="x"\nJAVA_VERSION="11.0.2"\n', ""), (None, 'openjdk version "1.8.0_392"')],
)
def test_one_that_is_too_old(tmp_path: Path, release: str | None, prints: str) -> None:
    old = java(tmp_path / "old", release, prints)
    assert "is Java " in refusal({"JAVA_HOME": str(old)})


def test_good_ones(tmp_path: Path) -> None:
    by_file = java(tmp_path / "new", 'JAVA_VERSION="17.0.9"\n')
    asked = java(tmp_path / "other", None, 'openjdk version "21" 2023-09-19')
    for environment in ({"JAVA_HOME": str(by_file)}, {"PATH": str(asked / "bin")}):
        check_java(["local[*]"], environment)


def test_a_server_has_its_own(tmp_path: Path) -> None:
    check_java(["sc://far:15002"], {"PATH": str(tmp_path)})


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from headwater.engine.spark.open_files import allow_open_files
try:
    allow_open_files()
    print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
except Exception as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("soft", "hard", "said"),
    [(256, 256, "may have 256 files open"), (256, 2000, "2000"), (1024, 1024, "1024")],
)
def test_few_open_files(soft: int, hard: int, said: str) -> None:
    """`ulimit -n 256`: the JVM ended for want of tzdb.dat, and the message spoke of the master."""
    code = LIMITED.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said in done.stdout
