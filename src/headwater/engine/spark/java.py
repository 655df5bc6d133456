"""Spark needs Java 17 or newer: look for it first, as Spark fails without it with sixty lines of a stack.

Spark uses $JAVA_HOME if it is set, else `java` on the PATH.  A Java says its version in the file `release`
beside its `bin`; only one without that file is started to ask it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from headwater.engine.spark.open_files import allow_open_files
from headwater.errors import InputError

__all__ = ["OLDEST", "check_java"]

OLDEST = 17
_INSTALL = (
    "Install it (Debian, Ubuntu: sudo apt-get install openjdk-17-jre-headless; macOS: brew install"
    " openjdk@17), or set JAVA_HOME to the folder of a JDK."
)


def check_java(masters: Iterable[str], environment: Mapping[str, str] = os.environ) -> None:
    """InputError if a Spark of our own would find no Java, one that is too old, or could not open its files.

    A Spark Connect server (sc://...) has its own.
    """
    if all(master.startswith("sc://") for master in masters):
        return
    home = environment.get("JAVA_HOME", "")
    java = shutil.which("java", path=os.path.join(home, "bin") if home else environment.get("PATH", ""))
    if java is None and home:
        message = f"JAVA_HOME is {home}, and there is no Java"
        raise InputError("HW813", message, hint="Set JAVA_HOME to the folder of a JDK, or unset it.")
    if java is None:
        raise InputError("HW813", f"Spark needs Java {OLDEST} or newer, and there is none", hint=_INSTALL)
    version = _version(Path(java).resolve())
    if version is not None and version < OLDEST:
        raise InputError(
            "HW813", f"Spark needs Java {OLDEST} or newer; {java} is Java {version}", hint=_INSTALL
        )
    allow_open_files()


def _version(java: Path) -> int | None:
    """The major version; None if it cannot be told, and Spark may try."""
    try:
        text = (java.parent.parent / "release").read_text("utf-8")
    except OSError:
        text = _asked(java)
    stated = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(stated[1]) if stated else None


def _asked(java: Path) -> str:
    try:
        return subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError("HW813", f"{java} does not run: {error}", hint=_INSTALL) from error
