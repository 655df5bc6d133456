"""What counts as a secret: dozens of ways to write one, right and wrong, and what must stay readable."""

from __future__ import annotations

import pytest

from headwater.errors import HeadwaterError, InputError, brief, redact, redaction
from headwater.errors.redaction import remember_secrets
from headwater.errors.secrets import names_secret, secret_of_file

SHOWN = {
    # the password of an address
    "postgresql://u:p@ss@h:5432/d": "postgresql://u:***@h:5432/d",
    "postgres://:p@h": "postgres://:***@h",
    "postgress://app:s3cret@db": "postgress://app:***@db",
    "postgres:/app:s3cret@db": "postgres:/app:***@db",
    "postgres//app:s3cret@db": "postgres//app:***@db",
    "app:s3cret@db:5432/shop": "app:***@db:5432/shop",
    "postgres://me@corp:s3cret@db/shop": "postgres://me@corp:***@db/shop",
    "postgres://app:/s3/cret@db": "postgres://app:***@db",
    "postgres://app:s3cret": "postgres://app:***",
    "postgres://app:s3cret/shop": "postgres://app:***/shop",
    "'postgres://app:s3 cret@db', 'x@y'": "'postgres://app:***@db', 'x@y'",
    "'postgres://app:s3''cret@db'": "'postgres://app:***@db'",
    "'jdbc:postgresql://app:s3 cret@db'": "'jdbc:postgresql://app:***@db'",
    # parameters of addresses
    "postgres://db/shop?password=s3cret&sslmode=require": "postgres://db/shop?password=***&sslmode=require",
    "sc://h:15002/;token=abc;user_id=me": "sc://h:15002/;token=***;user_id=me",
    # libpq
    "host=h password=s3cret user=u": "host=h password=*** user=u",
    "host=h password = s3cret user=u": "host=h password = *** user=u",
    "host=h password='p w' user=u": "host=h password='***' user=u",
    "'host=h password=''p w'' user=u'": "'host=h password=''***'' user=u'",
    r"host=h password=s3\ cret user=u": "host=h password=*** user=u",
    "host=h password=a,b&c;d user=u": "host=h password=*** user=u",
    "PGPASSWORD=s3cret psql": "PGPASSWORD=*** psql",
    # SQL
    "OPTIONS (password 's3cret', table 't')": "OPTIONS (password '***', table 't')",
    """OPTIONS ('kafka.ssl.key.password' = "s3 cret")""": """OPTIONS ('kafka.ssl.key.password' = "***")""",
    "pasword 's3cret'": "pasword '***'",
    """'LoginModule required password="s3cret";'""": """'LoginModule required password="***";'""",
    # YAML and JSON
    '{"password": "p", "user": "u"}': '{"password": "***", "user": "u"}',
    '{"password":"p","user":"u"}': '{"password":"***","user":"u"}',
    "fs.s3a.secret.key: s3 cret, # more": "fs.s3a.secret.key: ***",
    "config: {a.token: s3cret, b: c}": "config: {a.token: ***, b: c}",
    "password: |\n  line one\n  line two\nuser: u": "password: ***\nuser: u",
    "spark.hadoop.fs.s3a.secret.key=abc": "spark.hadoop.fs.s3a.secret.key=***",
    "fs.azure.account.key.x.net=abc==": "fs.azure.account.key.x.net=***",
    "Authorization: Bearer abc": "Authorization: ***",
}

READABLE = [
    "s3://bucket/key and a@b.c",
    "postgres://user@host/db",
    "sc://h:15002 beside spark://h1:7077,h2:7077",
    "k8s://https://host:443",
    "http://localhost:8080/a",
    "postgres://[::1]:5432/db",
    "at 12:00:03 the view was pushed",
    "/data/shop/views.sql:3:5",
    "postgresql://user:password@host:port/database",
    "postgres://app:${SHOP_PASSWORD}@db",
    "OPTIONS (password_file '/run/secrets/shop')",
    "WHERE token = 7",
    "a.token = b.token AND users.password = u.password",
    'FATAL:  password authentication failed for user "app"',
    "capture tweets@m1 -> d(tweets)@m1 | S1 S2",
    "window<start:timestamp,end:timestamp>",
]


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_hidden(text: str) -> None:
    assert redact(text) == SHOWN[text]


@pytest.mark.parametrize("text", SHOWN)
def test_what_was_redacted_once_stays_as_it_is(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize("text", READABLE)
def test_what_stays_readable(text: str) -> None:
    assert redact(text) == text


def test_names_of_secrets() -> None:
    assert all(map(names_secret, ("password", "sslpassword", "fs.s3a.secret.key", "API_KEY", "passwd")))
    assert not any(map(names_secret, ("password_file", "uri", "table", "ssl.keystore.location", "key")))
    assert [secret_of_file(name) for name in ("password_file", "uri_file", "credit_file", "file")] == [
        "password",
        "uri",
        None,
        None,
    ]


def test_an_error_is_redacted_when_it_is_made() -> None:
    error = InputError("HW002", "x://a:s3cret@b", detail="password=s3cret", hint="token 's3cret'")
    texts = (str(error), repr(error), brief(error), *map(str, error.fields().values()), *error.args)
    assert not any("s3cret" in text for text in texts)
    assert isinstance(error, HeadwaterError)
    assert "s3cret" not in brief(OSError("cannot reach x://a:s3cret@b"))


@pytest.fixture
def _nothing_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_used", frozenset())
    monkeypatch.setattr(redaction, "_used_anywhere", None)


@pytest.mark.usefixtures("_nothing_used")
def test_a_secret_that_was_used_is_hidden_wherever_it_stands() -> None:
    assert redact("the server said: gr33n-tea") == "the server said: gr33n-tea"
    remember_secrets("uri", "postgres://app:gr33n%2Dtea@db")
    remember_secrets("password", "oolongtea")
    assert redact("the server said: gr33n-tea, gr33n%2Dtea") == "the server said: ***, ***"
    assert redact("oolongtea for oolongteas") == "*** for oolongteas"


@pytest.mark.usefixtures("_nothing_used")
@pytest.mark.parametrize(
    "uri", ["postgres://postgres:postgres@db", "postgres://app:abc@db", "postgres://app@db"]
)
def test_a_password_that_is_a_common_word_or_short_hides_nothing_else(uri: str) -> None:
    remember_secrets("uri", uri)
    assert redact("USING postgres abc app db") == "USING postgres abc app db"
