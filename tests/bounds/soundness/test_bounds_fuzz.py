"""Any SQL that sqlglot can parse gets an answer, or a clear "not analysed, because"; never another exception."""

from __future__ import annotations

import random

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.bounds.answers.advice import advise
from headwater.bounds.answers.analyse import analyse
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.answers.explain import explain
from headwater.bounds.answers.report import answer_fields, needs_text
from headwater.bounds.reading.sources import Inputs, NamedTree, read_sql
from headwater.bounds.reading.subjects import Options, subject_of, tables_with_views
from headwater.errors import InputError
from headwater.model import SqlText
from support.cases import scaled

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT NOT NULL, s STRING, ts TIMESTAMP TEMPORAL, flag BOOLEAN,
  CARDINALITY LIMIT 5 (a));
CREATE TABLE u (id INT, a INT, b INT REFERENCES t (id), s STRING, PRIMARY KEY (a, id), UNIQUE (b, s));
CREATE TABLE v (a INT, b INT, c DOUBLE);
"""
CORPUS = [
    "SELECT * FROM t WHERE id = :id",
    "SELECT t.s, u.* FROM t JOIN u ON u.b = t.id WHERE t.a IN (:p, 2, 3) ORDER BY u.id DESC LIMIT 10",
    "SELECT a, COUNT(*), AVG(c) FROM v WHERE b = :b GROUP BY a HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 3",
    "SELECT DISTINCT s FROM t LEFT JOIN v ON v.a = t.a WHERE t.s LIKE :p || '%' OR t.b BETWEEN 1 AND :x",
    "SELECT * FROM (SELECT a, b FROM u ORDER BY id LIMIT 5) q, v WHERE q.a = v.a",
    "WITH w AS (SELECT a FROM t WHERE b = :b) SELECT w.a, (SELECT MAX(c) FROM v WHERE v.a = w.a) FROM w",
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.id) AND a NOT IN (SELECT a FROM v WHERE b = 1)",
    "SELECT MIN(a), MAX(b) FROM u WHERE s = :s UNION ALL SELECT 1, 2 ORDER BY 1 LIMIT 2",
    "SELECT CASE WHEN a > 1 THEN s ELSE CAST(b AS STRING) END FROM t WHERE NOT (flag AND a = 2) LIMIT :n OFFSET :o",
    "SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) FROM u WHERE a = :a",
    "SELECT COUNT(DISTINCT a) FROM t WHERE ts > CURRENT_TIMESTAMP - INTERVAL '1' HOUR AND a = :a",
    "SELECT x.id FROM t x, t y, u z WHERE x.a = y.a AND y.b = z.b AND z.s = :s AND x.s <> :q LIMIT 4",
    "SELECT s FROM t WHERE (a, b) = (1, 2) AND lower(s) = :x AND TOKEN(s) = :w INTERSECT SELECT s FROM u WHERE a = 1",
    "SELECT SUM(CASE WHEN flag THEN 1 END) FILTER (WHERE a = 1) FROM t TABLESAMPLE (10 PERCENT)",
    "SELECT * FROM t FULL JOIN u USING (id) CROSS JOIN LATERAL (SELECT * FROM v) NATURAL JOIN v",
]
ODD = [
    "SELECT", "SELECT 1", "SELECT * FROM VALUES (1, 2) AS x(a, b)", "SELECT 1 WHERE FALSE", "SELECT NULL = NULL",
    "SELECT * FROM t WHERE id = (SELECT id FROM t WHERE id = (SELECT 1))", "SELECT * FROM t ORDER BY 99",
    "SELECT explode(array(1, 2))", "SELECT * FROM t PIVOT (SUM(a) FOR b IN (1, 2))", "SELECT t.* EXCEPT (a) FROM t",
    "SELECT * FROM t WHERE a = ANY(SELECT a FROM u)", "SELECT COUNT(*) FROM t GROUP BY ROLLUP (a)",
    "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * FROM r", "SELECT * FROM t LIMIT ALL",
    "SELECT * FROM t LIMIT 0", "SELECT * FROM t WHERE rand() < 0.5 LIMIT 3", "SELECT id AS id, id AS id FROM t",
    "SELECT * FROM t a, t a", "SELECT count(*) OVER () FROM t WHERE id = 1", "SELECT * FROM t QUALIFY a = 1",
    "SELECT -a, a % 0, a / 0 FROM t WHERE id = 1", "SELECT * FROM (t JOIN u ON t.id = u.id)",
    "SELECT * FROM t WHERE id IN ()", "SELECT * FROM t WHERE s LIKE '%x%' ORDER BY s LIMIT 1 OFFSET 99999999999",
    "SELECT `weird name` FROM (SELECT a AS `weird name` FROM t WHERE id = 1)", "TABLE t", "VALUES (1)",
    "SELECT * FROM t WHERE a = 1 OR (b = 2 AND (s = 'x' OR (flag AND (a = 3 OR b = 4))))",
    "UPDATE t SET a = 1 WHERE id = 2", "DELETE FROM t WHERE a = :a", "INSERT INTO t VALUES (1)",
    "INSERT INTO v SELECT a, b, 1 FROM u WHERE a = 1", "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE",
]  # fmt: skip

SHARED = {"HW303", "HW307", "HW324"}  # what is wrong with a query may be wrong with a view's SELECT, too

INPUTS = read_sql(SCHEMA, "schema.sql")
CATALOG = tables_with_views(INPUTS)


def answer(tree: exp.Expr, text: str) -> Answer | None:
    """The answer in full, with everything that is shown of it; None for a clear complaint about names."""
    sql = SqlText(text, "fuzz.sql")
    try:
        subject = subject_of(NamedTree("q", sql, tree, sql.place()), Inputs(), CATALOG, Options())
    except InputError as error:
        return (
            None
            if error.code.startswith("HW4") or error.code in SHARED
            else pytest.fail(f"{error} is no complaint")
        )
    answered = subject if isinstance(subject, Answer) else analyse(subject)
    assert explain(answered)
    assert answer_fields(answered)["level"] == answered.level.value
    needs_text(answered)
    if answered.level is Level.NOT_ANALYSED:
        assert "not analysed, because" in answered.reasons[0].text
    elif answered.level is Level.UNBOUNDED:
        assert answered.reasons
    if not isinstance(subject, Answer):
        for advice in advise(subject, answered):
            assert advice.level.bounded
    return answered


def parsed(text: str) -> exp.Expr | None:
    try:
        trees = sqlglot.parse(text, read="spark")
    except (SqlglotError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        return None
    return trees[0] if len(trees) == 1 else None


@pytest.mark.parametrize("text", [*CORPUS, *ODD])
def test_odd_queries_get_an_answer(text: str) -> None:
    tree = parsed(text)
    if tree is not None:
        answer(tree, text)


def mutated(random_: random.Random, words: list[list[str]]) -> str:
    """A query with words dropped, doubled, swapped, or taken from another query."""
    chosen = list(random_.choice(words))
    for _ in range(random_.choice([1, 1, 2])):
        at = random_.randrange(len(chosen))
        match random_.randrange(5):
            case 0:
                del chosen[at]
            case 1:
                chosen.insert(at, chosen[at])
            case 2:
                other = random_.randrange(len(chosen))
                chosen[at], chosen[other] = chosen[other], chosen[at]
            case 3:
                chosen[at] = random_.choice(random_.choice(words))
            case _:
                donor = random_.choice(words)
                start = random_.randrange(len(donor))
                chosen[at:at] = donor[start : start + random_.randint(1, 6)]
        if not chosen:
            return "SELECT 1"
    return " ".join(chosen)


@pytest.mark.parametrize("seed", range(scaled(10)))
def test_mutated_queries_get_an_answer(seed: int) -> None:
    random_ = random.Random(seed)
    words = [
        [text[token.start : token.end + 1] for token in sqlglot.tokenize(text, read="spark")]
        for text in CORPUS
    ]
    reached = 0
    for _ in range(300):
        text = mutated(random_, words)
        tree = parsed(text)
        if tree is not None:
            reached += answer(tree, text) is not None
    assert reached > 5


def grafted(random_: random.Random, trees: list[exp.Expr]) -> exp.Expr:
    """A tree with one of its expressions replaced by one of another's, as sqlglot's generator then prints it."""
    tree = random_.choice(trees).copy()
    for _ in range(random_.randint(1, 2)):
        kinds = (exp.Condition, exp.Func, exp.Column, exp.Literal)
        places = [node for node in tree.find_all(*kinds) if node.parent is not None]
        donors = [node for node in random_.choice(trees).find_all(*kinds) if node.parent is not None]
        if places and donors:
            random_.choice(places).replace(random_.choice(donors).copy())
    return tree


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_grafted_trees_get_an_answer(seed: int) -> None:
    random_ = random.Random(100 + seed)
    trees = [tree for text in CORPUS if (tree := parsed(text)) is not None]
    reached = 0
    for _ in range(80):
        try:
            text = grafted(random_, trees).sql(dialect="spark")
        except (SqlglotError, ValueError, AttributeError, TypeError, KeyError):
            continue
        tree = parsed(text)
        if tree is not None:
            reached += answer(tree, text) is not None
    assert reached > 5
