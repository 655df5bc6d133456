"""Who may ask: keys and their rights, rates, and the names a server is asked by."""

from __future__ import annotations

import json
import os
import random
import stat
from pathlib import Path

import pytest

from headwater.errors import InputError
from headwater.serve.access.hosts import host_of, is_allowed, is_loopback
from headwater.serve.access.key_file import KeyFile, add_key, read_keys, revoke_key
from headwater.serve.access.keys import Rights, Role, id_of
from headwater.serve.access.rates import BURST, REMEMBERED, Rates
from headwater.serve.http.server import require_keys
from support.commands import answer, command

SECOND = 1_000_000


def test_a_key_is_proved_by_its_token_alone(tmp_path: Path) -> None:
    root = str(tmp_path / "warehouse")
    key, token = add_key(root, "web", Rights(Role.QUERY, ("v",), ()), 1)
    other, other_token = add_key(root, "other", Rights(Role.LOOK), 2)
    file = KeyFile(root)
    assert file.bearer(token) == key
    assert file.bearer(other_token) == other
    wrong = (
        token[:-1],
        token + "x",
        token.replace(key.id, other.id),
        "",
        "hw__",
        "x" * 10_000,
        "hw_\udc00_x",
    )
    assert [file.bearer(each) for each in wrong] == [None] * len(wrong)
    stored = (tmp_path / "warehouse" / "keys.json").read_text()
    assert token not in stored
    assert token.split("_", 2)[2] not in stored
    assert stat.S_IMODE(os.stat(tmp_path / "warehouse" / "keys.json").st_mode) == 0o600


def test_a_revoked_key_counts_no_longer_and_the_door_stays_closed(tmp_path: Path) -> None:
    root = str(tmp_path / "warehouse")
    file = KeyFile(root)
    assert not file.closed()
    _, token = add_key(root, "web", Rights(Role.QUERY), 1)
    assert file.closed()
    with pytest.raises(InputError, match="already"):
        add_key(root, "web", Rights(Role.LOOK), 2)
    assert file.bearer(token) is not None
    revoke_key(root, "web", 3)
    assert file.bearer(token) is None
    assert file.closed()
    with pytest.raises(InputError, match="no key"):
        revoke_key(root, "web", 4)
    add_key(root, "web", Rights(Role.LOOK), 5)
    assert [key.revoked_at for key in read_keys(root)] == [3, None]


def test_roles_include_each_other_and_names_limit_them() -> None:
    assert [Role.CHANGE.includes(role) for role in Role] == [True, True, True]
    assert [Role.LOOK.includes(role) for role in Role] == [True, False, False]
    some = Rights(Role.QUERY, ("Orders",), ())
    assert some.may_read("orders")
    assert not some.may_read("other")
    assert not some.may_ask("any")
    assert Rights(Role.QUERY).may_ask("any")
    assert not Rights(Role.LOOK).may_read("orders")
    assert id_of("hw_ab_c_d") == "ab"
    assert id_of("nonsense") == ""


@pytest.mark.parametrize("seed", range(20))
def test_nobody_gets_more_than_the_rate(seed: int) -> None:
    """Over any stretch at most the burst and what flows in; who waits as told is always let in."""
    chance = random.Random(seed)
    rate = chance.choice((0.5, 1, 10, 200))
    rates, now, passed = Rates(rate), 0, 0
    for _ in range(2000):
        now += round(chance.expovariate(2 * rate) * SECOND)
        wait = rates.wait("me", now)
        passed += not wait
        if wait:
            again = now + round(wait * SECOND) + 1
            assert Rates(rate, rates._buckets.copy()).wait("me", again) == 0
    assert passed <= max(1, rate * BURST) + rate * now / SECOND + 1
    for number in range(2 * REMEMBERED):
        rates.wait(str(number), now)
    assert len(rates._buckets) == REMEMBERED


@pytest.mark.parametrize(
    ("header", "listening", "allowed"),
    [
        ("127.0.0.1:8765", "127.0.0.1", True),
        ("localhost", "127.0.0.1", True),
        ("[::1]:8765", "::1", True),
        ("LOCALHOST:1", "127.0.0.1", True),
        ("evil.example", "127.0.0.1", False),
        ("evil.example:8765", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("10.0.0.7:8765", "127.0.0.1", False),
        ("10.0.0.7:8765", "0.0.0.0", True),
        ("evil.example", "0.0.0.0", False),
        ("shop.internal:80", "0.0.0.0", True),
    ],
)
def test_hosts(header: str, listening: str, allowed: bool) -> None:
    assert is_allowed(header, listening, ("shop.internal",)) is allowed


def test_addresses() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost", "0.0.0.0", "x", "")] == [
        True, True, True, True, False, False, False,
    ]  # fmt: skip
    assert host_of("[::1") == ""


def test_other_machines_are_not_answered_without_keys(tmp_path: Path) -> None:
    root = str(tmp_path / "warehouse")
    require_keys("127.0.0.1", root)
    with pytest.raises(InputError, match="no API key"):
        require_keys("0.0.0.0", root)
    add_key(root, "web", Rights(Role.QUERY), 1)
    require_keys("0.0.0.0", root)
    revoke_key(root, "web", 2)
    with pytest.raises(InputError, match="no API key"):
        require_keys("0.0.0.0", root)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "headwater.yml").write_text("name: shop\n")
    (tmp_path / "all.sql").write_text(
        "CREATE TABLE t (a BIGINT PRIMARY KEY); CREATE MATERIALIZED VIEW v FRESHNESS = INTERVAL '5' SECOND AS SELECT a FROM t;"
        "CREATE QUERY q AS SELECT a FROM t WHERE a = :a;"
    )
    return tmp_path


def test_the_commands(folder: Path) -> None:
    assert "no keys" in command("key", "list", folder).stdout
    made = answer("key", "add", folder, "web", "--view", "V", "--query", "q")
    assert (made["role"], made["views"], made["queries"]) == ("query", ["v"], ["q"])
    shown = command("key", "add", folder, "ops", "--role", "look").stdout
    token = shown.split()[1]
    assert KeyFile(str(folder / "warehouse")).bearer(token) is not None
    listed = answer("key", "list", folder)["keys"]
    assert [key["name"] for key in listed] == ["web", "ops"]
    assert token not in json.dumps(listed)
    assert "ops" in command("key", "list", folder).stdout
    assert "HW973" in command("key", "add", folder, "ops", status=2).stderr
    assert "HW210" in command("key", "add", folder, "x", "--view", "nothing", status=2).stderr
    assert "HW430" in command("key", "add", folder, "x", "--query", "nothing", status=2).stderr
    command("key", "revoke", folder, "ops")
    assert "HW973" in command("key", "revoke", folder, "ops", status=2).stderr
    (folder / "warehouse" / "keys.json").write_text("{")
    assert "HW975" in command("key", "list", folder, status=2).stderr
