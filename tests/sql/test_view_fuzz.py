"""Texts of views that are broken, empty or odd: each is understood or refused at its place, none ends in a traceback."""

from __future__ import annotations

import random
import re

import pytest

from headwater.algebra.delta.derive import delta
from headwater.algebra.moments.plans import TIME
from headwater.algebra.passes import optimize
from headwater.algebra.plans.check import faults
from headwater.algebra.stages.explaining import kept_nodes
from headwater.catalog import build
from headwater.errors import InputError
from headwater.model import Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements
from support.cases import scaled
from support.sql.constructs import CONSTRUCTS, TABLES
from support.sql.odd_queries import OddMaker

TEXTS = [construct.sql for construct in CONSTRUCTS]
WORDS = [
    "()", "NULL", "*", ",", "(", ")", "now()", "SELECT", "FROM", "''", "0", "x", "DISTINCT", "OVER ()", "AS", "-1",
    "ORDER BY", "t.*", "INTERVAL '1' DAY", "`a b`",
]  # fmt: skip
EMPTY = [
    "SELECT", "SELECT FROM orders", "SELECT * FROM", "SELECT () FROM orders", "SELECT * FROM ()",
    "SELECT * FROM VALUES", "SELECT v.a FROM orders JOIN (VALUES ()) v(a) ON v.a = id",
    "SELECT id FROM orders WHERE id IN ()", "SELECT id FROM orders GROUP BY ()",
    "SELECT count(*) FROM orders GROUP BY GROUPING SETS ()", "SELECT count(*) FROM orders GROUP BY ROLLUP ()",
    "SELECT array() AS a, struct() AS s, map() AS m FROM orders", "SELECT * EXCEPT () FROM orders",
    "SELECT * EXCEPT (customer, name, city) FROM customers", "WITH c AS () SELECT * FROM c",
    "SELECT id FROM orders JOIN items USING ()", "SELECT explode() FROM orders", "SELECT stack() FROM orders",
    "SELECT sum() FROM orders", "SELECT count(DISTINCT) FROM orders", "SELECT any_value() FROM orders",
    "SELECT max_by(id) AS x FROM orders", "SELECT string_agg() FROM orders", "SELECT now(1) FROM orders",
    "SELECT r.id FROM orders JOIN range() r ON r.id = orders.id", "SELECT r.id FROM range('a') r",
    "SELECT v.a FROM orders JOIN (VALUES (1), (2, 3)) v(a) ON v.a = id", "SELECT (SELECT) FROM orders",
    "SELECT session_window() AS w FROM orders GROUP BY session_window()", "SELECT lag() OVER () FROM orders",
    "SELECT id FROM orders o, LATERAL (SELECT) l", "SELECT named_struct('a') AS x, id FROM orders",
]  # fmt: skip


def understood(text: str) -> None:
    """Declare, translate, cut into stages, derive their changes, explain."""
    declared = resolve(parse_statements(f"{TABLES} CREATE MATERIALIZED VIEW v AS {text};"))
    tables = {table.name: table for table in declared.tables}
    views = {view.name: view for view in declared.views}
    for kept in build(Project("fuzz", "", "", tables, views, {}, {})).kept.values():
        assert sum(1 for _ in kept_nodes(kept)) or kept.obstacles
        for stage in kept.stages:
            assert stage.plan is None or faults(stage.plan) == []
            change = None if stage.plan is None else delta(stage, frozenset(stage.reads) | {TIME})
            assert change is None or optimize(change).columns == stage.columns


def test_texts_of_everything_that_sql_has() -> None:
    """A grammar of all clauses in all places: what is kept has a plan that uses what it has, and no more."""
    tried = [try_text(OddMaker(random.Random(seed)).view()) for seed in range(scaled(200))]
    assert sum(tried) > len(tried) / 4
    assert not all(tried)


def try_text(text: str) -> bool:
    """Whether it means something; any error but one for its author fails the test."""
    refused: InputError | None = None
    try:
        understood(text)
    except InputError as error:
        refused = error
    assert refused is None or refused.place is not None, text
    return refused is None


@pytest.mark.parametrize("text", EMPTY)
def test_what_is_empty_is_refused_or_means_something(text: str) -> None:
    try_text(text)


def test_texts_that_were_cut_mixed_and_patched() -> None:
    chance = random.Random(7)
    tried = [try_text(mixed(chance)) for _ in range(150)]
    assert any(tried)
    assert not all(tried)


def mixed(chance: random.Random) -> str:
    """A view's text with some of its words left out, repeated, exchanged or taken from another."""
    words = pieces(chance.choice(TEXTS))
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(len(words))
        match chance.randrange(5):
            case 0:
                del words[at : at + chance.randint(1, 5)]
            case 1:
                words.insert(at, chance.choice(words))
            case 2:
                words[at] = chance.choice(WORDS)
            case 3:
                other = pieces(chance.choice(TEXTS))
                start = chance.randrange(len(other))
                words[at : at + 1] = other[start : start + chance.randint(1, 8)]
            case _:
                other_at = chance.randrange(len(words))
                words[at], words[other_at] = words[other_at], words[at]
        words = words or ["SELECT"]
    return "".join(words)


def pieces(text: str) -> list[str]:
    return re.findall(r"'[^']*'|\w+|\s+|[^\w\s]", text)
