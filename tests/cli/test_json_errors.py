"""With --json an error is one object on standard output: the fields of `HeadwaterError.fields()`."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli import app as command
from headwater.cli.app import app, main
from headwater.errors import HeadwaterError, InputError
from headwater.errors.codes import CODES
from headwater.project import load

pytestmark = pytest.mark.slow

SQL = """CREATE TABLE orders (id BIGINT PRIMARY KEY, amount INT);
CREATE MATERIALIZED VIEW big FRESHNESS = INTERVAL '5' SECOND AS SELECT id FROM orders WHERE amount > 100;
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "headwater.yml").write_text("name: shop\n")
    (folder / "all.sql").write_text(SQL)
    return folder


def ended(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["headwater", *map(str, words)])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


CASES = {
    "status nowhere": (2, "HW201"),
    "read shop nothing": (2, "HW210"),
    "read shop big": (1, "HW821"),
    "read shop big --max-staleness soon": (2, "HW001"),
    "plan shop --with nowhere.sql": (2, "HW861"),
    "bill shop --last 0s": (2, "HW001"),
    "check nowhere.sql": (2, "HW005"),
    "ingest shop ordres x.jsonl": (2, "HW211"),
    "run shop --for 0s": (2, "HW001"),
    "simulate weave nowhere.json": (2, "HW005"),
    "errors HW2000": (2, "HW007"),
    "read shop": (2, "HW004"),
    "plan shop --wiht x.sql": (2, "HW004"),
    "nonsense": (2, "HW004"),
}


@pytest.mark.parametrize("words", CASES)
def test_an_error_is_one_object(
    words: str, shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shop.parent)
    exit_status, code = CASES[words]
    assert ended(monkeypatch, *words.split(), "--json") == exit_status
    out, err = capsys.readouterr()
    fields = json.loads(out)
    assert list(fields) == ["code", "message", "place", "detail", "hint"]
    assert fields["code"] == code
    assert code in CODES
    assert err == ""


@pytest.mark.parametrize("words", CASES)
def test_without_json_the_same_status_and_nothing_on_standard_output(
    words: str, shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(shop.parent)
    exit_status, code = CASES[words]
    assert ended(monkeypatch, *words.split()) == exit_status
    out, err = capsys.readouterr()
    assert out == ""
    assert code in err or code == "HW004"
    assert "Traceback" not in err


def test_the_place_is_among_the_fields(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "all.sql").write_text(SQL.replace("FROM orders", "FROM ordres"))
    assert ended(monkeypatch, "status", shop, "--json") == 2
    fields = json.loads(capsys.readouterr().out)
    assert fields["place"] == {"path": str(shop / "all.sql"), "line": 2, "column": 80}
    assert fields["hint"] == 'did you mean "orders"?'


def test_a_bug_of_ours_shows_its_traceback_without_secrets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_options: object) -> None:
        raise ZeroDivisionError("postgres://u:hunter2@h failed")

    monkeypatch.setattr(command, "command_line", lambda: broken)
    assert ended(monkeypatch, "status", "shop", "--json") == 70
    out, err = capsys.readouterr()
    assert json.loads(out)["code"] == "HW999"
    assert "in broken" in err
    assert "hunter2" not in out + err


def test_a_full_disk_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def full(**_options: object) -> None:
        raise OSError(28, "No space left on device", "warehouse/x")

    monkeypatch.setattr(command, "command_line", lambda: full)
    assert ended(monkeypatch, "run", "shop") == 2
    assert capsys.readouterr().err == "HW002: No space left on device: warehouse/x\n"


def test_a_warning_about_a_project_is_shown_once(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "headwater.yml").write_text("name: shop\nonce: sqlite\n")
    monkeypatch.setattr("headwater.project.settings.UNUSED", ("once",))

    def twice(**_options: object) -> None:
        for _ in range(2):
            warnings.simplefilter("always")
            load(shop)

    with warnings.catch_warnings():
        monkeypatch.setattr(command, "command_line", lambda: twice)
        assert ended(monkeypatch, "status", shop) == 0
    expected = (
        f"Warning: {shop}/headwater.yml:2:1: nothing reads `once`, so it is ignored; you can delete it\n"
    )
    assert capsys.readouterr().err == expected


def test_an_answer_that_is_no_keeps_its_exit_status(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = shop.parent / "rows.jsonl"
    file.write_text('{"id": "many"}\n')
    assert ended(monkeypatch, "ingest", shop, "orders", file, "--json") == 1
    assert json.loads(capsys.readouterr().out)["rejected"] == 1
    assert ended(monkeypatch, "status", shop, "--json") == 0
    assert json.loads(capsys.readouterr().out)["project"] == "shop"


@pytest.mark.cli
def test_the_installed_command_prints_nothing_else(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "headwater.cli.app", "status", str(tmp_path / "nowhere"), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "")
    assert json.loads(done.stdout)["code"] == "HW201"


def test_an_excerpt_of_sql_hides_the_password_of_an_address_and_nothing_else(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "postgres://shop:hunter2@db/shop"
    (shop / "all.sql").write_text(
        f"CREATE TABLE t (token INT) USING postgres OPTIONS (uri '{address}') NONSENSE"
    )
    assert ended(monkeypatch, "status", shop) == 2
    assert "postgres://shop:***@db/shop" in capsys.readouterr().err
    view = "CREATE MATERIALIZED VIEW v AS SELECT id FROM orders WHERE token = 7"
    (shop / "all.sql").write_text(f"CREATE TABLE orders (id INT);\n{view}")
    assert ended(monkeypatch, "status", shop) == 2
    assert "WHERE token = 7" in capsys.readouterr().err


def explained(*words: str) -> str:
    result = CliRunner().invoke(app, ["errors", *words])
    if isinstance(result.exception, HeadwaterError):
        raise result.exception
    return result.output


@pytest.mark.parametrize("code", ["HW204", "hw204", "204"])
def test_a_code_is_explained(code: str) -> None:
    text = explained(code)
    assert text.startswith("HW204: A file of the project cannot be read\n")
    assert "What to do: " in text
    assert json.loads(explained(code, "--json"))["title"] == CODES["HW204"].title


def test_all_codes_are_listed() -> None:
    text = explained()
    assert all(code in text for code in CODES)
    assert len(json.loads(explained("--json"))["codes"]) == len(CODES)


def test_a_code_of_an_earlier_version_leads_to_its_successor() -> None:
    assert explained("HW406").startswith("HW104: ")


def test_a_misspelt_code_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match='there is no error code "HW20"') as caught:
        explained("HW20")
    assert "did you mean" in caught.value.hint
