"""The line shown with an error: without its secrets, and the caret still below the place."""

from __future__ import annotations

import re

import pytest

from headwater.errors import InputError, Place

LINE = "CREATE TABLE t (id INT) USING postgres OPTIONS (uri 'postgres://app:s3cret@db', password 'hunter22') NONSENSE"
SHOWN = (
    "CREATE TABLE t (id INT) USING postgres OPTIONS (uri 'postgres://app:***@db', password '***') NONSENSE"
)


def marked(place: Place) -> str:
    """What stands above the carets."""
    line, carets = place.excerpt().split("\n")
    assert carets.index("|") == line.index("|")
    return line[carets.index("^") : carets.rindex("^") + 1]


@pytest.mark.parametrize("before", ["", "-- first line\n", "x\r\n"])
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("USING", "USING"),
        ("uri", "uri"),
        ("'postgres://app:s3cret@db'", "'postgres://app:***@db'"),
        ("s3cret", "***"),
        ("3cr", "*"),
        ("@db", "@db"),
        ("password", "password"),
        ("'hunter22'", "'***'"),
        ("NONSENSE", "NONSENSE"),
    ],
)
def test_the_caret_is_below_the_same_words(before: str, words: str, shown: str) -> None:
    source = f"{before}{LINE}\nnext"
    place = Place.at("a.sql", source, source.index(words), len(words))
    assert place.text == SHOWN
    assert marked(place) == shown
    assert (place.line, place.column) == (before.count("\n") + 1, LINE.index(words) + 1)  # as in the file


def test_every_word_of_a_line_is_found_below_its_caret() -> None:
    for word in re.finditer(r"\w+", LINE):
        if word[0] not in ("s3cret", "hunter22"):
            assert marked(Place.at("a.sql", LINE, word.start(), len(word[0]))) == word[0]


def test_a_secret_of_several_lines() -> None:
    source = "OPTIONS (password 'one\ntwo\nthree', x 'y')\nOPTIONS (uri 'p://app:one\ntwo@db')"
    shown = [Place.at("a.sql", source, match.end()).text for match in re.finditer(r"^", source, re.MULTILINE)]
    assert shown == ["OPTIONS (password '***", "***", "***', x 'y')", "OPTIONS (uri 'p://app:***", "***@db')"]


@pytest.mark.parametrize("written", ["password ab12", "password=ab12", "password = ab12", "'password' ab12"])
def test_an_option_without_quotes(written: str) -> None:
    source = f"CREATE TABLE t (id INT, password STRING) USING postgres OPTIONS ({written})"
    place = Place.at("a.sql", source, source.index("ab12"), 4)
    assert "ab12" not in place.text
    assert "password STRING" in place.text  # a column of that name is no secret
    message = "expected the value of 'password' in quotes, found \"ab12\""
    assert "ab12" not in str(InputError("HW100", message, place=place))


def test_a_secret_is_not_in_the_text_of_the_place_itself() -> None:
    assert "s3cret" not in repr(Place.at("a.sql", LINE, 3))


def test_a_line_without_secrets_is_as_it_was() -> None:
    assert Place.at("a.sql", "SELECT a\nFROM token", 9, 4) == Place("a.sql", 2, 1, "FROM token", 4)
