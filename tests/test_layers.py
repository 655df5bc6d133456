"""The tree is the architecture: packages import only what stands before them, and stay small enough to find things in.

One test per law; a failure lists every violation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "headwater"

# In dependency order: a package may import the ones before it (and itself), never one after it.
ORDER = (
    "errors", "units", "logs", "clock", "model", "algebra", "sql", "project", "starter", "bounds", "scheduling", "planning", "overload",
    "versions", "catalog", "storage", "capture", "engine", "serve", "api", "bench", "cli", "dashboard",
)  # fmt: skip
PURE = {"errors", "units", "model", "sql", "algebra", "bounds", "planning", "scheduling", "overload"}
EFFECTS = {"pyspark", "deltalake", "psycopg", "subprocess", "socket", "threading"}
SPARK = {"engine", "bench"}

MODULES_BESIDE_EACH_OTHER = 15
LINES_OF_A_FILE = 350
LONG = "Long because"  # how a longer file's docstring begins to say why it is one
TEST_IMPORT = re.compile(r"^\s*(?:from|import) ((?:test_|tests\.|conftest)\S*)", re.MULTILINE)


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(path for path in SOURCE.rglob("*.py") if path.name != "__main__.py"))


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


@cache
def imports_of(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def imports(packages: set[str] | None = None) -> Iterator[tuple[Path, str]]:
    """Every module of these packages (all, if none are given) with each name that it imports."""
    for path in modules():
        if packages is None or package_of(path) in packages:
            for name in sorted(imports_of(path)):
                yield path.relative_to(ROOT), name


def report(violations: list[str]) -> str:
    return "\n" + "\n".join(violations)


def test_every_package_has_its_place_in_the_order() -> None:
    packages = {package_of(path) for path in modules()} - {"__init__"}
    violations = [
        f"{name} is not in ORDER, nor in the tree of ARCHITECTURE.md" for name in packages - {*ORDER}
    ]
    assert not violations, report(violations)


def test_modules_import_only_packages_before_their_own() -> None:
    position = {name: at for at, name in enumerate(ORDER)}
    violations = [
        f"{path} imports {name}"
        for path, name in imports(set(ORDER))
        if name.startswith("headwater.")
        and position.get(name.split(".")[1], len(ORDER)) > position[package_of(ROOT / path)]
    ]
    assert not violations, report(violations)


def test_packages_that_decide_have_no_effects() -> None:
    violations = [f"{path} imports {name}" for path, name in imports(PURE) if name.split(".")[0] in EFFECTS]
    assert not violations, report(violations)


def test_pyspark_is_imported_in_engine_and_bench_only() -> None:
    elsewhere = {package_of(path) for path in modules()} - SPARK
    violations = [
        f"{path} imports {name}" for path, name in imports(elsewhere) if name.split(".")[0] == "pyspark"
    ]
    assert not violations, report(violations)


def test_no_package_has_more_modules_than_one_can_take_in() -> None:
    folders = [folder for folder in (SOURCE, *SOURCE.rglob("*")) if folder.is_dir()]
    counts = {folder: len([*folder.glob("[!_]*.py")]) for folder in folders}
    violations = [
        f"{folder.relative_to(ROOT)} has {count} modules beside each other, {MODULES_BESIDE_EACH_OTHER} at most"
        for folder, count in counts.items()
        if count > MODULES_BESIDE_EACH_OTHER
    ]
    assert not violations, report(violations)


def test_long_files_say_why_they_are_one() -> None:
    violations = []
    for path in (*modules(), *sorted((ROOT / "tests").rglob("*.py"))):
        name, text = str(path.relative_to(ROOT)), path.read_text("utf-8")
        length = len(text.splitlines())
        if length > LINES_OF_A_FILE and LONG not in (ast.get_docstring(ast.parse(text)) or ""):
            violations.append(f'{name} has {length} lines: split it, or say "{LONG} ..." in its docstring')
    assert not violations, report(violations)


def test_test_modules_share_through_the_support_package() -> None:
    paths = sorted((ROOT / "tests").rglob("*.py"))
    violations = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in TEST_IMPORT.findall(path.read_text("utf-8"))
    ]
    violations += [
        f"{path.relative_to(ROOT)} is no test: move it to tests/support"
        for path in paths
        if "support" not in path.parts and path.name != "conftest.py" and not path.name.startswith("test_")
    ]
    assert not violations, report(violations)
