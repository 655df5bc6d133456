"""A secret on the line of an error is in no message, whatever is wrong, as text and as JSON.

Every way to write a secret is tried with every kind of fault, on one line, through the command.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headwater
from headwater.errors import HeadwaterError
from support.commands import Done, command

pytestmark = pytest.mark.slow

SECRET = "w1nter-R0se"

# Ways to write a secret in OPTIONS, right and wrong.
OPTIONS = [
    f"uri 'postgres://app:{SECRET}@db/shop'",
    f"uri 'postgress://app:{SECRET}@db/shop'",
    f"uri 'postgres:/app:{SECRET}@db/shop'",
    f"uri 'postgres//app:{SECRET}@db/shop'",
    f"uri 'app:{SECRET}@db/shop'",
    f"uri 'postgres://app:{SECRET}'",
    f"uri 'postgres://app:{SECRET}/shop'",
    f"uri 'postgres://app:two words {SECRET}@db'",
    f"uri 'postgres://app:it''s {SECRET}@db'",
    f"uri 'postgres://me@corp:{SECRET}@db'",
    f"uri 'jdbc:postgresql://app:{SECRET}@db'",
    f"uri 'postgres://db/shop?user=app&password={SECRET}&sslmode=require'",
    f"uri 'host=db user=app password={SECRET}'",
    f"uri 'host=db password = {SECRET} user=app'",
    f"uri 'host=db password=''{SECRET}'' user=app'",
    f"uri 'host=db password=\\'{SECRET}\\' user=app'",
    f'uri "host=db password={SECRET}"',
    f"uri 'postgres://app@db', password '{SECRET}'",
    f"uri 'postgres://app@db', password='{SECRET}'",
    f"uri 'postgres://app@db', 'password' = \"{SECRET}\"",
    f"uri 'postgres://app@db', `password` '{SECRET}'",
    f"uri 'postgres://app@db', pasword '{SECRET}'",
    f"format 'kafka', token '{SECRET}'",
    f"format 'kafka', kafka.ssl.key.password '{SECRET}'",
    f"format 'kafka', kafka.sasl.jaas.config 'LoginModule required password=\"{SECRET}\";'",
    f"format 's3', 'fs.s3a.secret.key' '{SECRET}'",
]

# What is wrong with the statement; {} is where the options stand.
FAULTS = {
    "unknown clause": "CREATE TABLE t (id INT) USING postgres OPTIONS ({}) NONSENSE",
    "unknown type": "CREATE TABLE t (id INTT) USING postgres OPTIONS ({})",
    "no columns": "CREATE TABLE t () USING postgres OPTIONS ({})",
    "unknown provider": "CREATE TABLE t (id INT) USING postgress OPTIONS ({})",
    "no provider": "CREATE TABLE t (id INT) OPTIONS ({})",
    "unknown site": "CREATE TABLE t (id INT) USING postgres OPTIONS ({}) AT SITE nowhere",
    "unknown key": "CREATE TABLE t (id INT, PRIMARY KEY (no)) USING postgres OPTIONS ({})",
    "given twice": "CREATE TABLE t (id INT) USING postgres OPTIONS ({0}) OPTIONS ({0})",
    "option twice": "CREATE TABLE t (id INT) USING postgres OPTIONS ({0}, {0})",
    "missing comma": "CREATE TABLE t (id INT) USING postgres OPTIONS ({} table 't')",
    "never closed": "CREATE TABLE t (id INT) USING postgres OPTIONS ({}, table 't)",
    "no parenthesis": "CREATE TABLE t (id INT) USING postgres OPTIONS {}",
    "as properties": "CREATE TABLE t (id INT) TBLPROPERTIES ('headwater.nonsense' = '1', {})",
    "unknown statement": "ALTER TABLE t SET OPTIONS ({})",
    "a view of the same line": "CREATE TABLE t (id INT) USING api OPTIONS ({}); CREATE MATERIALIZED VIEW v AS SELECT no FROM t",
}
FORMS = [
    f"OPTIONS (password {SECRET})",
    f"OPTIONS (password = {SECRET})",
    f"OPTIONS (password='{SECRET}",
    f"OPTIONS (password '{SECRET}' 'x')",
    f"OPTIONS (uri postgres://app:{SECRET}@db)",
    f"OPTIONS (uri, 'postgres://app:{SECRET}@db')",
    f"OPTIONS ('postgres://app:{SECRET}@db')",
    f"'postgres://app:{SECRET}@db'",
    f"OPTIONS (uri 'postgres://app:{SECRET}@db'",
    f"OPTIONS (uri 'postgres://app:{SECRET}@db",
    f"OPTIONS (uri 'x') COMMENT 'password={SECRET}' COMMENT 'y'",
]


def project(folder: Path, sql: str, settings: str = "name: shop\n") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "headwater.yml").write_text(settings)
    (folder / "all.sql").write_text(sql)
    return folder


def assert_hidden(*outputs: Done) -> None:
    for part in (SECRET, *SECRET.split("-")):
        assert not any(part in done.stdout + done.stderr for done in outputs)


def wrong(folder: Path) -> tuple[Done, Done]:
    return command("capture", folder, status=2), command("capture", folder, "--json", status=2)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_secret_with_every_fault(fault: str, tmp_path: Path) -> None:
    for options in OPTIONS:
        folder = project(tmp_path / "shop", FAULTS[fault].format(options))
        with pytest.raises(HeadwaterError) as caught:
            headwater.open(str(folder))
        shown = f"{caught.value}\n{caught.value!r}\n{json.dumps(caught.value.fields())}"
        assert "^" in shown
        assert not [part for part in (SECRET, *SECRET.split("-")) if part in shown], shown


@pytest.mark.parametrize(
    ("fault", "options"),
    [*((fault, OPTIONS[1]) for fault in FAULTS), *(("unknown clause", options) for options in OPTIONS)],
)
def test_a_statement_with_a_secret(fault: str, options: str, tmp_path: Path) -> None:
    text, as_json = wrong(project(tmp_path / "shop", FAULTS[fault].format(options)))
    assert_hidden(text, as_json)
    assert "^" in text.stderr
    assert json.loads(as_json.stdout)["code"] == text.stderr[:5]


@pytest.mark.parametrize("form", FORMS)
def test_options_that_are_no_options(form: str, tmp_path: Path) -> None:
    text, as_json = wrong(project(tmp_path / "shop", f"CREATE TABLE t (id INT) USING postgres {form}"))
    assert_hidden(text, as_json)
    assert "^" in text.stderr


@pytest.mark.parametrize("uri", [options for options in OPTIONS if options.startswith("uri")])
def test_an_address_that_is_none_or_answers_not(uri: str, tmp_path: Path) -> None:
    uri = uri.replace("db", "127.0.0.1:1")
    folder = project(tmp_path / "shop", f"CREATE TABLE t (id INT) USING postgres OPTIONS ({uri});")
    shown = command("capture", folder, status=None)
    assert_hidden(shown, command("capture", folder, "--json", status=None))


SETTINGS = [
    f"name: shop\nspark: {{config: {{fs.s3a.secret.key: {SECRET}, fs.s3a.secret.key: x}}}}\n",
    f"name: shop\nspark: {{config: {{fs.s3a.secret.key: {SECRET}}}, conifg: x}}\n",
    f"name: shop\nspark:\n  config:\n    fs.s3a.secret.key: {SECRET} and more: x\n",
    f"name: shop\nspark: {{config: {{fs.s3a.secret.key: [{SECRET}]}}}}\n",
    f"name: shop\nspark: 'sc://h:15002/;token={SECRET}'\nsprak: x\n",
    f"name: shop\nsites: {{a: {{spark: 'sc://h/;token={SECRET}', storag: x}}}}\n",
    f"name: shop\nsites: {{a: {{spark: ['sc://h/;token={SECRET}']}}}}\n",
    f"name: shop\npassword: {SECRET}\n",
    f"name: shop\npassword:\n  - {SECRET}\n",
    f"name: shop\nspark: {{config: {{x.password: '{SECRET}\n",
    f"name: shop\nstorage: postgres://app:{SECRET}@db\nfreshness: postgres://app:{SECRET}@db\n",
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_settings_with_a_secret(settings: str, tmp_path: Path) -> None:
    assert_hidden(*wrong(project(tmp_path / "shop", "CREATE TABLE t (id INT);", settings)))


@pytest.mark.parametrize(
    "words",
    [
        ("read", f"postgres://app:{SECRET}@db", "v"),
        ("read", "shop", f"postgres://app:{SECRET}@db"),
        ("plan", "shop", f"postgres://app:{SECRET}@db"),
        ("plan", "shop", "--with", f"postgres://app:{SECRET}@db"),
        ("ingest", "shop", "t", f"postgres://app:{SECRET}@db"),
        (f"postgres://app:{SECRET}@db",),
        ("errors", f"postgres://app:{SECRET}@db"),
        ("run", "shop", "--for", f"postgres://app:{SECRET}@db"),
    ],
)
def test_a_secret_on_the_command_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path / "shop", "CREATE TABLE t (id INT);")
    monkeypatch.chdir(tmp_path)
    assert_hidden(command(*words, status=2), command(*words, "--json", status=2))
