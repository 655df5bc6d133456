"""`headwater check` as a user runs it: tables, JSON, SARIF, exit statuses, messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.errors import InputError

SHOP = """
CREATE TABLE users (uid BIGINT PRIMARY KEY, name STRING, created_at TIMESTAMP);
CREATE TABLE follows (uid BIGINT, target BIGINT, PRIMARY KEY (uid, target));
CREATE TABLE posts (id BIGINT PRIMARY KEY, uid BIGINT NOT NULL REFERENCES users (uid), created_at TIMESTAMP);
-- name: user
SELECT * FROM users WHERE uid = :uid;
-- name: posts_of
SELECT * FROM posts WHERE uid = :uid ORDER BY created_at DESC LIMIT 10;
-- name: followers
SELECT COUNT(*) FROM follows WHERE target = :uid;
"""
FEED = """
-- name: feed
SELECT p.id FROM follows f JOIN posts p ON p.uid = f.target WHERE f.uid = :me ORDER BY p.created_at DESC LIMIT 20;
"""
FIELDS = {"name", "level", "operations", "results", "indexes", "views", "rewritten", "reasons", "advice"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SHOP)
    return path


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_all_bounded_is_exit_0(shop: Path) -> None:
    status, output = run(shop)
    assert status == 0
    assert "posts_of" in output
    assert "SI-2" in output


def test_an_unbounded_query_is_exit_1_with_place_reason_and_advice(shop: Path) -> None:
    shop.write_text(SHOP + FEED)
    status, output = run(shop)
    assert status == 1
    assert "^^^^^" in output
    assert "any number of rows of follows f may have one value of (f.uid)" in output
    assert "advice: declare CARDINALITY LIMIT n (uid) on follows (reaches SI-1)" in output


def test_json_holds_the_contract(shop: Path) -> None:
    status, output = run(shop, "--json")
    report = json.loads(output)
    assert status == 0
    assert [query["name"] for query in report["queries"]] == ["user", "posts_of", "followers"]
    assert all(set(query) >= FIELDS for query in report["queries"])
    user, posts, followers = report["queries"]
    assert (user["level"], user["operations"], user["results"]) == ("SI-0", 1, 1)
    assert posts["indexes"] == [{"table": "posts", "columns": ["uid", "created_at", "id"]}]
    (view,) = followers["views"]
    assert view["key"] == ["target"]
    assert (view["storage"]["relative_to"], view["storage"]["factor"]) == ("follows", 1)
    assert view["maintenance"][0]["on"] == "follows"
    assert view["maintenance"][0]["operations"] == 1


def test_fail_on_a_level(shop: Path) -> None:
    assert run(shop, "--fail-on", "SI-3")[0] == 0
    assert run(shop, "--fail-on", "SI-2")[0] == 1
    assert run(shop, "--fail-on", "si-1")[0] == 1


def test_explain_shows_the_proof(shop: Path) -> None:
    status, output = run(shop, "--explain", "followers")
    assert status == 0
    assert "storage: at most 1 rows for each row of follows" in output
    assert "on a change of follows as follows: at most 1 operations" in output
    assert "get followers_view by key where target = :uid" in output


def test_sarif_points_at_the_source(shop: Path, tmp_path: Path) -> None:
    shop.write_text(SHOP + FEED)
    out = tmp_path / "out.sarif"
    status, _ = run(shop, "--sarif", out)
    report = json.loads(out.read_text())
    assert status == 1
    assert report["version"] == "2.1.0"
    (result,) = report["runs"][0]["results"]
    assert result["ruleId"] == "HW410"
    assert result["level"] == "error"
    region = result["locations"][0]["physicalLocation"]["region"]
    line = shop.read_text().splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "follows"


def test_a_folder_of_files_and_several_files(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "feed.sql").write_text(FEED)
    assert run(tmp_path)[0] == 1
    assert run(shop, tmp_path / "feed.sql")[0] == 1


def test_a_project(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "a.sql").write_text(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT);\n"
        "CREATE MATERIALIZED VIEW v AS SELECT a, COUNT(*) AS n FROM t GROUP BY a;\n"
        "CREATE QUERY n_of AS SELECT n FROM v WHERE a = :a;\n"
    )
    status, output = run(tmp_path, "--json")
    assert status == 0
    (query,) = json.loads(output)["queries"]
    assert (query["level"], query["operations"]) == ("SI-0", 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT * FROM userz WHERE uid = 1;", 'did you mean "users"'),
        ("SELECT namee FROM users;", 'did you mean "name"'),
        ("SELECT x.name FROM users;", 'called "x"'),
    ],
)
def test_a_wrong_name_stops_one_query_and_not_the_others(shop: Path, text: str, words: str) -> None:
    shop.write_text(f"{SHOP}-- name: wrong\n{text}")
    status, output = run(shop, "--json")
    assert status == 1
    *others, wrong = json.loads(output)["queries"]
    assert [query["level"] for query in others] == ["SI-0", "SI-1", "SI-2"]
    assert wrong["level"] == "not analysed"
    assert words in wrong["reasons"][0]
    assert "shop.sql:" in wrong["reasons"][0]


def test_two_queries_of_one_name_are_one_clear_message(shop: Path) -> None:
    shop.write_text(f"{SHOP}-- name: user\nSELECT 1;")
    with pytest.raises(InputError):
        run(shop)


def test_wrong_arguments_are_one_clear_message(shop: Path, tmp_path: Path) -> None:
    for arguments, code in (
        ([tmp_path / "none.sql"], "HW005"),
        ([shop, "--explain", "usr"], "HW407"),
        ([shop, "--fail-on", "SI-9"], "HW404"),
        ([shop, "--dialect", "klingon"], "HW409"),
        ([shop, "--sarif", tmp_path / "no" / "dir.sarif"], "HW006"),
    ):
        with pytest.raises(InputError) as caught:
            run(*arguments)
        assert caught.value.code == code
    (tmp_path / "empty.sql").write_text("CREATE TABLE t (a INT);")
    with pytest.raises(InputError) as caught:
        run(tmp_path / "empty.sql")
    assert caught.value.code == "HW405"


def test_another_dialect_with_keys_added_later(tmp_path: Path) -> None:
    path = tmp_path / "dump.sql"
    path.write_text(
        "CREATE TABLE public.users (id bigserial, email text NOT NULL, at timestamptz DEFAULT now());\n"
        "ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);\n"
        "CREATE UNIQUE INDEX users_email ON public.users (email);\n"
        "GRANT SELECT ON users TO PUBLIC;\n"
        "-- name: by_id\nSELECT * FROM users WHERE id = $1;\n"
        "-- name: by_email\nSELECT * FROM users WHERE email = $1;\n"
        "UPDATE users SET email = $2 WHERE id = $1;\n"
    )
    for dialect in ("", "postgres"):
        status, output = run(path, "--json", *(["--dialect", dialect] if dialect else []))
        levels = {query["name"]: query["level"] for query in json.loads(output)["queries"]}
        assert status == 0
        assert levels == {"by_id": "SI-0", "by_email": "SI-1", "line_9": "SI-0"}


def test_declared_maxima_and_the_assumed_one(tmp_path: Path) -> None:
    path = tmp_path / "q.sql"
    path.write_text(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT);\n"
        "-- name: page\n-- param: n <= 50\nSELECT id FROM t WHERE a = :a LIMIT :n;\n"
        "-- name: many\n-- param: ids <= 20\nSELECT * FROM t WHERE id IN (:ids);\n"
        "-- name: open\nSELECT id FROM t WHERE a = :a LIMIT :n;\n"
    )
    status, output = run(path, "--json", "--limit-max", "7")
    page, many, unlimited = json.loads(output)["queries"]
    assert status == 0
    assert (page["results"], many["operations"], unlimited["results"]) == (50, 20, 7)
    assert unlimited["parameters"] == [{"name": "n", "assumed_maximum": 7}]
    assert page["parameters"] == []


def test_strict_assumes_no_reference(tmp_path: Path) -> None:
    path = tmp_path / "q.sql"
    path.write_text(
        "CREATE TABLE a (id BIGINT PRIMARY KEY, b BIGINT NOT NULL, k BIGINT);\n"
        "CREATE TABLE b (id BIGINT PRIMARY KEY, x BIGINT);\n"
        "-- name: q\nSELECT * FROM a JOIN b ON b.id = a.b WHERE a.k = :k LIMIT 5;\n"
    )
    status, output = run(path, "--json")
    (query,) = json.loads(output)["queries"]
    assert (status, query["level"]) == (0, "SI-1")
    assert query["assumptions"] == ["every a(b) exists in b(id)"]
    status, output = run(path, "--json", "--strict")
    (query,) = json.loads(output)["queries"]
    assert (status, query["level"]) == (1, "unbounded")
    assert "declare FOREIGN KEY (b) REFERENCES b on a, NOT NULL (reaches SI-1)" in query["advice"]


@pytest.mark.cli
def test_the_installed_command(shop: Path) -> None:
    command = [sys.executable, "-m", "headwater.cli.app", "check", str(shop), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["levels"]["SI-0"] == 1
    broken = subprocess.run([*command[:-2], str(shop) + "x"], capture_output=True, text=True, check=False)
    assert broken.returncode == 2
    assert broken.stderr.startswith("HW005: cannot read")
    assert "Traceback" not in broken.stderr


FIRST = "CREATE TABLE t (id int PRIMARY KEY, k text NOT NULL, CONSTRAINT uq UNIQUE (k));"
SECOND = "-- name: q\n{};"


def level_of_q(folder: Path) -> str:
    _, output = run("--dialect", "postgres", "--json", folder)
    (level,) = (found["level"] for found in json.loads(output)["queries"] if found["name"] == "q")
    return str(level)


BY_K, GONE = "SELECT id FROM t WHERE k = $1", "DELETE FROM t WHERE id = $1"


@pytest.mark.parametrize(
    ("later", "query", "level"),
    [
        ("", BY_K, "SI-1"),
        ("ALTER TABLE t DROP CONSTRAINT uq;", BY_K, "unbounded"),
        ("ALTER TABLE other DROP CONSTRAINT uq;", BY_K, "SI-1"),
        ("DROP TABLE t; CREATE TABLE t (id int, k text);", BY_K, "unbounded"),
        ("CREATE TABLE kid () INHERITS (t);", BY_K, "unbounded"),
        ("CREATE UNIQUE INDEX i ON t (lower(k));", "SELECT id FROM t WHERE lower(k) = $1", "SI-1"),
        ("CREATE FUNCTION lower(x text) RETURNS text AS 'x' LANGUAGE sql;", "SELECT id FROM t WHERE k = lower($1)", "not analysed"),
        ("", GONE, "SI-0"),
        ("CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id) ON DELETE CASCADE);", GONE, "unbounded"),
        ("CREATE TRIGGER g AFTER DELETE ON t FOR EACH ROW EXECUTE FUNCTION f();", GONE, "not analysed"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("names", [("V2__a.sql", "V10__b.sql", "a_q.sql"), ("1.sql", "b_q.sql", "a2.sql")])
def test_what_one_file_says_holds_in_the_others(
    tmp_path: Path, names: tuple[str, str, str], later: str, query: str, level: str
) -> None:
    """Several files are read as one after the other, those of a folder by their numbers."""
    asked, declared = (names[2], names[1]) if names[0] == "V2__a.sql" else (names[1], names[2])
    for name, text in zip((names[0], declared, asked), (FIRST, later, SECOND.format(query)), strict=True):
        (tmp_path / name).write_text(text + "\n")
    assert level_of_q(tmp_path) == level


def test_a_change_that_comes_before_its_table(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("ALTER TABLE t DROP CONSTRAINT uq;")
    (tmp_path / "b.sql").write_text(f"{FIRST} {SECOND.format(BY_K)}")
    assert level_of_q(tmp_path) == "unbounded"
    (tmp_path / "a.sql").write_text("ALTER TABLE IF EXISTS t DROP CONSTRAINT uq; DROP TABLE IF EXISTS t;")
    assert level_of_q(tmp_path) == "SI-1"
