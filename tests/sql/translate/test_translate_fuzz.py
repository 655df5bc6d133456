"""Broken SELECTs: whatever is written, the answer is a translation or one clear error, never a crash."""

from __future__ import annotations

import random
import re
from datetime import timedelta

import pytest

from headwater.errors import InputError
from headwater.model import SqlText, View
from headwater.sql.translate import translate
from support.cases import scaled
from support.sql.constructs import CONSTRUCTS, RELATIONS

WORD = re.compile(r"'[^']*'|\w+|<=>|<>|[^\s\w]")
TEXTS = [construct.sql for construct in CONSTRUCTS]
WORDS = sorted({word for text in TEXTS for word in WORD.findall(text)})


def broken(sql: str, chance: random.Random) -> str:
    """Some words dropped, doubled, swapped, or taken from elsewhere."""
    words = WORD.findall(sql)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(words))
        match chance.randrange(4):
            case 0:
                words[at : at + 1] = []
            case 1:
                words.insert(at, words[at])
            case 2:
                words[at] = chance.choice(WORDS)
            case _:
                other = chance.randrange(len(words))
                words[at], words[other] = words[other], words[at]
        if not words:
            return "SELECT"
    return " ".join(words)


def check(sql: str) -> bool:
    """Was it wrong?  If so the error has a code and a place; if not, the translation is whole."""
    refused: InputError | None = None
    try:
        translated = translate(View("v", SqlText(sql), timedelta(seconds=1)), RELATIONS)
    except InputError as error:
        refused = error
    if refused is not None:
        assert refused.code.startswith(("HW3", "HW109", "HW113", "HW114")), sql
        assert refused.place is not None, sql
        return True
    assert (translated.plan is None) == bool(translated.obstacles), sql
    assert len(translated.columns) == len(translated.types), sql
    assert translated.plan is None or translated.plan.columns == translated.columns, sql
    return False


@pytest.mark.parametrize("seed", range(scaled(30)))
def test_a_broken_select_is_an_error_with_a_place(seed: int) -> None:
    chance = random.Random(seed)
    wrong = 0
    for _ in range(60):
        wrong += check(broken(chance.choice(TEXTS), chance))
    assert wrong > 10


def test_nesting_without_end_is_an_error() -> None:
    sql = f"SELECT {'(' * 3000}id{')' * 3000} AS x FROM orders"
    with pytest.raises(InputError, match="parsed|nested"):
        translate(View("v", SqlText(sql), timedelta(seconds=1)), RELATIONS)


def test_a_long_chain_of_subqueries_stays_small() -> None:
    parts = ["c0 AS (SELECT quantity AS x FROM orders)"]
    parts += [f"c{n} AS (SELECT x + x AS x FROM c{n - 1})" for n in range(1, 40)]
    translated = translate(
        View("v", SqlText(f"WITH {', '.join(parts)} SELECT x FROM c39"), timedelta(seconds=1)), RELATIONS
    )
    assert translated.plan is not None
    assert len(repr(translated.plan)) < 100_000
