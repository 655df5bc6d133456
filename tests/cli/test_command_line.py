"""What a user types: the project in the current folder, flags, completion; and the words of the first screens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.starter import write_starter
from support.commands import answer, command

PAPER = re.compile(
    r"plumbing|vert(?:ex|ices)|\bedges?\b|DPD|DPT|hal(?:f|ves)\b|view-hours|(?<!be )\bkept\b|asked about"
)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_starter(tmp_path / "shop", "shop")
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


def test_the_project_is_the_current_folder_unless_another_is_named(shop: Path) -> None:
    for words in (["plan"], ["status"], ["bill"], ["capture"], ["vacuum"], ["check"]):
        assert command(*words).stdout == command(*words, ".").stdout or words == ["bill"]
    assert answer("ingest", "customers", "changes/1-customers.jsonl")["accepted"] == 8
    assert "HW821" in command("read", "open_orders", status=1).stderr
    assert "HW821" in command("read", ".", "open_orders", status=1).stderr
    assert answer("sql", "SELECT count(*) AS n FROM customers")["rows"] == [{"n": 8}]
    (shop.parent / "new.sql").write_text("CREATE MATERIALIZED VIEW names AS SELECT name FROM customers")
    assert answer("add", "../new.sql")["added"]
    assert answer("drop", "names")["view"] == "names"


def test_elsewhere_a_missing_argument_is_said(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.parent)
    assert "Missing argument 'VIEW'" in command("read", "shop", status=2).stderr
    assert "HW203" in command("status", status=2).stderr
    assert "HW201" in command("plan", "nowhere", status=2).stderr


def commands(group: object, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command and command of a group, as one types it."""
    inner = getattr(group, "commands", None)
    if inner is None:
        return [path]
    return [words for name, member in inner.items() for words in commands(member, (*path, name))]


@pytest.mark.parametrize("path", commands(typer.main.get_command(app)), ids=" ".join)
def test_every_command_has_json_and_shows_flags_as_flags(path: tuple[str, ...]) -> None:
    helped = CliRunner().invoke(app, [*path, "--help"])
    assert helped.exit_code == 0
    assert "--json" in helped.stdout
    assert "bool" not in helped.stdout


def test_a_command_does_not_wait_for_the_modules_of_others() -> None:
    program = (
        "import sys; sys.argv = ['headwater', 'plan', '--help']; import headwater.cli.app as app\n"
        "try: app.main()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    imported = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stderr.split()
    assert "headwater.cli.commands.plan" in imported
    assert not [
        name for name in imported if name.startswith(("headwater.cli.bench.", "headwater.engine", "unittest"))
    ]


def test_the_shell_completes_commands() -> None:
    words = {"_HEADWATER_COMPLETE": "complete_bash", "COMP_WORDS": "headwater sta", "COMP_CWORD": "1"}
    assert "status" in CliRunner().invoke(app, [], env=words, prog_name="headwater").stdout
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).stdout


def test_first_screens_need_no_paper(shop: Path) -> None:
    (shop.parent / "new.sql").write_text("CREATE MATERIALIZED VIEW names AS SELECT name FROM customers")
    for words in (["plan"], ["plan", "--with", "../new.sql"], ["status"], ["add", "../new.sql"], ["bill"]):
        text = command(*words).stdout
        assert not PAPER.search(text), PAPER.search(text)
        assert "promised" not in text  # one word for it: freshness


def test_plan_begins_with_what_a_user_asks(shop: Path) -> None:
    lines = command("plan").stdout.splitlines()
    assert [line.split()[0] for line in lines if line[:1].isalpha()][:4] == [
        "Promises",
        "Cost",
        "Shared",
        "Push",
    ]
    assert "can be kept for all 8 views" in lines[0]
    explained = command("plan", "--explain").stdout
    for section in ("How each view is refreshed", "A push of all views", "What the estimates rest on"):
        assert f"\n{section}\n" in explained
        assert section not in "\n".join(lines)


def test_no_screen_breaks_a_word_at_80_columns(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    views = {view["name"] for view in answer("plan")["views"]}
    for words in (["plan"], ["status"], ["check"], ["plan", "--explain"], ["capture"], ["errors"]):
        text = command(*words).stdout
        tables = [line for line in text.splitlines() if line[:1] in "│┃┏┡└"]
        assert max(map(len, tables), default=0) <= 80, words
        if words in (["plan"], ["status"]):
            assert views <= set(re.findall(r"\w+", text))


def test_status_may_be_watched(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[float] = []

    def sleep(seconds: float) -> None:
        shown.append(seconds)
        if len(shown) == 2:
            raise KeyboardInterrupt

    # the screen's own name for it: time.sleep itself is also called by threads that other tests left
    monkeypatch.setattr("headwater.cli.show.screens.again.sleep", sleep)
    text = command("status", "--watch").stdout
    assert text.count("shop: not running") == 2


def test_add_says_that_a_view_is_refreshed_in_full(shop: Path) -> None:
    (shop.parent / "new.sql").write_text(
        "CREATE MATERIALIZED VIEW some AS SELECT name FROM customers TABLESAMPLE (10 PERCENT) REPEATABLE (7)"
    )
    text = command("add", "../new.sql").stdout
    assert "some: full refresh, because TABLESAMPLE has no delta rule" in text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Arrow may come without jemalloc")
def test_commands_give_memory_back() -> None:
    """Arrow chooses its allocator when it is imported first, so a process of its own is asked."""
    code = "import headwater.cli.app, pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARROW_")}
    command = [sys.executable, "-c", code]
    asked = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == "jemalloc"
