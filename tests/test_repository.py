"""What the repository says about itself is so: paths, make targets, workflow, site; and nothing of one machine is in it."""

from __future__ import annotations

import getpass
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from support.commands import command

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))  # fmt: skip
SKIPPED = {".git", ".venv", "__pycache__", "site", "htmlcov", "bench-results", "demo", "warehouse"}


def texts() -> Iterator[tuple[str, str]]:
    """Every text file of the repository: what git tracks, or what lies there if it is no clone."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    tracked = [ROOT / name for name in listed.stdout.split("\0") if name]
    for path in tracked or [path for path in ROOT.rglob("*") if not SKIPPED & {*path.parts}]:
        if path.is_file() and path != Path(__file__):
            try:
                yield str(path.relative_to(ROOT)), path.read_text("utf-8")
            except UnicodeDecodeError:
                continue


def of_this_machine() -> re.Pattern[str]:
    """Where this clone lies, whose home it is, what the machine is called; and anybody's home."""
    home, user, host = str(Path.home()), getpass.getuser(), socket.gethostname()
    words = [
        re.escape(str(ROOT)),
        r"/(?:home|Users)/\w+/",
        r"/root/",
        r"file:///(?!\$)\w+",
        r"--(?:extra-)?index-url",
    ]
    words += [re.escape(home) + r"\b"] if len(home) > len("/root") else []
    words += [rf"\b{re.escape(name)}\b" for name in {user, host} if len(name) > 8]
    return re.compile("|".join(words))


def test_nothing_of_this_machine_is_in_the_repository() -> None:
    pattern = of_this_machine()
    found = [
        f"{name}:{number}: {match[0]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := pattern.search(line))
    ]
    assert not found, "\n" + "\n".join(found)


def test_what_commands_write_names_no_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command("init", "shop")
    command("plan", "shop")
    files = [path for path in (tmp_path / "shop").rglob("*") if path.is_file()]
    assert len(files) > 5
    named = [path.name for path in files if str(tmp_path) in path.read_text("utf-8")]
    assert not named


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_files_that_exist(page: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.M | re.S)
    named = re.findall(r"`((?:src|tests|docs|scripts)/[\w./-]+|[a-z]\w*/[\w/]+\.py)`", text)
    files = [f"/{path.relative_to(ROOT)}" for top in ("src", "tests") for path in (ROOT / top).rglob("*.py")]
    missing = [
        name
        for name in named
        if "NAME" not in name
        and not (ROOT / name).exists()
        and not any(file.endswith(f"/{name}") for file in files)
    ]
    assert not missing


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.M))


def test_make_targets_that_pages_name_exist() -> None:
    pages = "".join((ROOT / page).read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"(?:`|^|\$ )make ([a-z]+)\b", pages, re.M))
    assert {"setup", "quick", "test", "demo"} <= named <= make_targets()


def test_make_help_lists_every_target() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {line.split()[0] for line in done.stdout.splitlines()} == make_targets()


def test_an_unknown_package_is_refused_by_make_quick() -> None:
    binaries = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "scripts/quick.sh", binaries, "plannin"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "planning" in done.stderr


def test_hosted_and_own_ci_run_make_test_on_every_python() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    job = workflow["jobs"]["test"]
    assert job["steps"][-1]["run"].startswith("make test")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    commands = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line.startswith("make")]
    assert commands == ["make test"]


def test_hooks_use_the_tools_of_the_environment() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    tools = [Path(hook["entry"].split()[0]) for hook in local["hooks"]]
    assert {tool.parent for tool in tools} == {Path(".venv/bin")}
    assert all(Path(sys.executable).with_name(tool.name).exists() for tool in tools)


@pytest.mark.slow
def test_the_site_builds_with_strict_links_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        html = page.read_text("utf-8")
        assert not re.search(r'<(?:script|img|iframe)[^>]*src="(?:https?:)?//', html), page
        assert not re.search(r'<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href="(?:https?:)?//', html), (
            page
        )
        assert 'class="mermaid"' not in html, page  # would be drawn by a script from elsewhere


def test_tests_that_share_something_expensive_stay_on_one_worker(request: pytest.FixtureRequest) -> None:
    """Without the groups every worker starts Spark and its servers anew; a new pytest has dropped them in silence."""
    if request.config.getoption("loadgroup", False):
        assert request.node.nodeid.endswith("@tests/test_repository.py")
