"""Error codes: one registry, one meaning each, and a page that says what it says."""

from __future__ import annotations

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import HeadwaterError
from headwater.errors.codes import CODES, PARTS, REPLACED
from headwater.errors.page import errors_page

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "headwater"
PAGE = ROOT / "docs" / "errors.md"
CODE = re.compile(r"HW\d{3}\b")

# Codes that several packages raise with the same meaning. A code that is not here belongs to one package, so
# that two people who both take "the next free number" are found out.
SHARED = {
    "HW001": {"cli", "serve"},  # an option out of range; a duration or an instant that is none, whoever asks
    "HW003": {"cli", "serve"},  # options that exclude each other; a period that starts twice
    "HW005": {"bench", "cli"},  # a file that a command names, a file of quotes that a bench replays
    "HW106": {"sql", "project"},  # keys and limits in DDL, expectations in headwater.yml
    "HW116": {"sql", "capture"},  # the parser refuses unknown providers; captures do so for other callers
    "HW124": {"sql", "capture"},  # a DEFAULT that is no value of its type, or no value that can be stored
    "HW123": {"sql", "planning"},  # AT SITE in DDL, a situation without the site in plans
    "HW202": {"project", "starter"},  # opening a project, making one
    "HW127": {"sql", "catalog", "algebra"},  # a window join: as declared, as translated, as kept
    "HW141": {"sql", "algebra"},  # windows shown whole: as declared, as views group by them
    "HW303": {"sql", "bounds"},  # views, checked queries
    "HW307": {"sql", "bounds"},
    "HW324": {"sql", "bounds"},
    "HW901": {"algebra", "engine"},  # a stage of a kind that cannot be pushed so
    "HW867": {"bench", "cli"},  # the generators of the bench and of the demo
}


def raised() -> Iterator[tuple[Any, str]]:
    """Every code that stands in the source as a text of its own, with the package it stands in."""
    for path in sorted(SOURCE.rglob("*.py")):
        if (SOURCE / "errors" / "codes") in path.parents:
            continue
        text = path.read_text("utf-8")
        if CODE.search(text) is None:
            continue
        package = path.relative_to(SOURCE).with_suffix("").parts[0]
        nodes = list(ast.walk(ast.parse(text)))
        compared = {id(side) for node in nodes if isinstance(node, ast.Compare) for side in node.comparators}
        for node in nodes:
            if isinstance(node, ast.Constant) and id(node) not in compared and _is_code(node.value):
                yield node.value, package


def _is_code(value: object) -> bool:
    return isinstance(value, str) and CODE.fullmatch(value) is not None


@cache
def packages() -> dict[str, set[str]]:
    places: dict[str, set[str]] = defaultdict(set)
    for code, package in raised():
        places[code].add(package)
    return dict(places)


def test_every_code_that_is_raised_is_registered() -> None:
    assert sorted(set(packages()) - set(CODES)) == []


def test_every_registered_code_is_raised() -> None:
    assert sorted(set(CODES) - set(packages())) == []


def test_a_code_belongs_to_one_package_or_is_shared_on_purpose() -> None:
    several = {code: places for code, places in packages().items() if len(places) > 1}
    assert several == SHARED


def test_a_code_stands_once_in_the_registry() -> None:
    entries = [entry for codes in PARTS.values() for entry in codes]
    assert len(entries) == len(CODES)
    titles = [entry.title for entry in entries]
    assert len(set(titles)) == len(titles)


def test_codes_of_earlier_versions_are_not_used_again() -> None:
    assert not set(REPLACED) & set(CODES)
    assert set(REPLACED.values()) <= set(CODES)


@pytest.mark.parametrize("part", PARTS)
def test_entries_are_whole_sentences(part: str) -> None:
    for entry in PARTS[part]:
        assert CODE.fullmatch(entry.code)
        assert entry.title[0].isupper() or entry.title.startswith("headwater"), entry
        assert not entry.title.endswith("."), entry
        assert entry.cause.rstrip(")").endswith("."), entry
        assert len(entry.remedy) > 7, entry


def test_tests_and_docs_name_codes_that_exist() -> None:
    files = [*ROOT.joinpath("tests").rglob("*.py"), *ROOT.joinpath("docs").rglob("*.md"), ROOT / "README.md"]
    for path in files:
        if path not in (Path(__file__), PAGE):
            unknown = set(CODE.findall(path.read_text())) - {*CODES, *REPLACED}
            assert not unknown, f"{path}: {unknown}"


def test_the_page_is_current() -> None:
    """`make bless` (HEADWATER_BLESS=1) writes it."""
    if os.environ.get("HEADWATER_BLESS"):
        PAGE.write_text(errors_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == errors_page()


def test_an_error_says_everything_in_its_fields() -> None:
    error = HeadwaterError("HW001", "what", detail="why", hint="do")
    assert error.fields() == {
        "code": "HW001", "message": "what", "place": None, "detail": "why", "hint": "do",
    }  # fmt: skip
