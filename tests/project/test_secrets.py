"""Secrets that a project refers to: read when they are used, stored nowhere, and missed with a clear message."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.errors import InputError, redact
from headwater.project import load
from headwater.project.secrets import resolved, resolved_text

TABLE = "CREATE TABLE t (id INT) USING postgres OPTIONS ({options});"


def project(folder: Path, options: str = "uri 'postgres://db'", settings: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "headwater.yml").write_text(f"name: shop\n{settings}")
    (folder / "t.sql").write_text(TABLE.format(options=options))
    return folder


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("postgres://app:${SHOP_PW}@db", "postgres://app:gr33n-tea@db"),
        ("${SHOP_PW}${SHOP_PW}", "gr33n-teagr33n-tea"),
        ("$${SHOP_PW}", "${SHOP_PW}"),
        ("$$${SHOP_PW}", "$${SHOP_PW}"),
        ("${env:SHOP_PW} ${hadoop.tmp.dir} $SHOP_PW ${}", "${env:SHOP_PW} ${hadoop.tmp.dir} $SHOP_PW ${}"),
    ],
)
def test_variables(written: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PW", "gr33n-tea")
    assert resolved_text(written, "uri") == value


def test_a_missing_variable_is_named_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_PW", raising=False)
    table = load(project(tmp_path, "uri 'postgres://app:${SHOP_PW}@db'")).tables["t"]
    with pytest.raises(InputError, match='uri of table "t" needs the environment variable SHOP_PW') as caught:
        resolved(table.options, 'table "t"', table.place)
    assert caught.value.code == "HW219"
    assert caught.value.place == table.place


def test_a_file_is_read_when_it_is_used_and_again(tmp_path: Path) -> None:
    table = load(project(tmp_path, "uri 'postgres://db', password_file 'secrets/pw'")).tables["t"]
    path = tmp_path / "secrets" / "pw"
    assert table.options["password_file"] == str(path)  # below the project's folder
    with pytest.raises(InputError, match=f"password_file of t cannot be read from {path}: No such file"):
        resolved(table.options, "t")
    path.parent.mkdir()
    for content, password in (("first\n", "first"), ("sec ond\r\n", "sec ond")):
        path.write_text(content)
        assert resolved(table.options, "t") == {"uri": "postgres://db", "password": password}
    path.write_text("\n")
    with pytest.raises(InputError, match="is empty"):
        resolved(table.options, "t")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        resolved(table.options, "t")


def test_only_secrets_come_from_files() -> None:
    parameters = {"credit_file": "a", "file": "b", "uri_file": "/nowhere"}
    with pytest.raises(InputError, match="uri_file of t cannot be read from /nowhere"):
        resolved(parameters, "t")
    del parameters["uri_file"]
    assert resolved(parameters, "t") == parameters


def test_a_secret_and_its_file_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the options 'password' and 'password_file' say the same"):
        load(project(tmp_path, "uri 'x', password 'gr33n-tea', password_file 'pw'"))


def test_settings_hold_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_SECRET", "gr33n-tea")
    settings = """
spark:
  master: local[2]
  config: {spark.hadoop.fs.s3a.secret.key: "${S3_SECRET}", spark.x.password_file: pw, spark.y: 3}
sites: {far: {spark: "sc://far:15002/;token=${S3_SECRET}"}}
"""
    loaded = load(project(tmp_path, settings=settings))
    assert loaded.spark_config["spark.hadoop.fs.s3a.secret.key"] == "${S3_SECRET}"
    assert loaded.spark_config["spark.x.password_file"] == str(tmp_path / "pw")
    assert loaded.sites["far"].spark == "sc://far:15002/;token=${S3_SECRET}"
    assert "gr33n-tea" not in repr(loaded)


@pytest.mark.parametrize(
    "spark", ["spark: ${SPARK}", "spark: {master: '${SPARK}'}", "sites: {a: {spark: '${SPARK}'}}"]
)
def test_what_kind_of_spark_is_written_out(spark: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'cannot be "\$'):
        load(project(tmp_path, settings=spark))


def test_a_project_does_not_show_its_secrets(tmp_path: Path) -> None:
    settings = "spark: {master: 'sc://h/;token=gr33n-tea', config: {spark.x.password: gr33n-tea}}"
    loaded = load(project(tmp_path, "uri 'postgres://app:gr33n-tea@db'", settings))
    assert "gr33n-tea" not in repr(loaded)


def test_what_was_used_is_hidden_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_PW", "bl4ck-tea")
    resolved({"kafka.sasl.jaas.config": 'LoginModule required password="${KAFKA_PW}";'}, "t")
    assert redact("the broker said bl4ck-tea") == "the broker said ***"
