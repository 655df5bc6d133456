"""The tree is the architecture: packages import only what stands above them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "headwater"

# In dependency order: a package may import the ones before it (and itself), never one after it.
ORDER = (
    "errors", "clock", "model", "algebra", "sql", "project", "starter", "scale", "sharing", "weave", "overload",
    "catalog", "storage", "capture", "engine", "serve", "api", "bench", "cli", "dashboard",
)  # fmt: skip
PURE = {"errors", "model", "sql", "algebra", "scale", "sharing", "weave", "overload"}
EFFECTS = {"pyspark", "deltalake", "psycopg", "subprocess", "socket", "threading"}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.name != "__main__.py")


def package_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[0]


def imports_of(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_stands_above_it(path: Path) -> None:
    package = package_of(path)
    if package == "__init__":
        return
    assert package in ORDER, f"{package} is not in the tree of ARCHITECTURE.md"
    allowed = set(ORDER[: ORDER.index(package) + 1])
    for name in imports_of(path):
        if name.startswith("headwater."):
            assert name.split(".")[1] in allowed, f"{path} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_what_decides_has_no_effects(path: Path) -> None:
    if package_of(path) in PURE:
        assert not {name.split(".")[0] for name in imports_of(path)} & EFFECTS


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_pyspark_is_imported_in_the_engine_only(path: Path) -> None:
    if package_of(path) not in {"engine", "bench"}:
        assert not any(name.split(".")[0] == "pyspark" for name in imports_of(path))
