"""Nothing of a statement is left out of its bound: an unbounded subquery, wherever it stands, leaves none.

Bounded queries of the applications get a subquery that no plan can bound in the place of one of their expressions, or in a
clause that they did not have.  Whatever the readers know of that place, the answer may not be "bounded".
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from sqlglot import exp, parse_one

from headwater.bounds.answers import analyse as analysing
from headwater.bounds.answers.analyse import level_of
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.reading.ledger import Ledger
from headwater.bounds.reading.sources import Inputs, NamedTree, read_sql
from headwater.bounds.reading.subjects import Options, subject_of, tables_with_views
from headwater.model import SqlText
from support.cases import scaled

FOLDER = Path(__file__).parents[1] / "levels" / "applications"
FILES = [
    "django_blog",
    "rails_store",
    "hibernate_shop",
    "prisma_social",
    "spark_ledger",
    "forms",
    "sqlc_issues",
]
BIG = "CREATE TABLE hw_big (id BIGINT PRIMARY KEY, a BIGINT);\n"
UNBOUNDED = "(SELECT MAX(w.id) FROM hw_big w WHERE w.a % :left_out = 3)"
KINDS = (exp.Column, exp.Literal, exp.Placeholder, exp.Func, exp.Binary)


@cache
def bounded(stem: str) -> tuple[Inputs, Catalog, tuple[NamedTree, ...]]:
    """A file's tables, and those of its queries that are bounded."""
    text = (FOLDER / f"{stem}.sql").read_text()
    dialect = text.split("\n", 1)[0].removeprefix("-- dialect: ") if text.startswith("-- dialect:") else ""
    inputs = read_sql(text, f"{stem}.sql", dialect)
    inputs.tables |= read_sql(BIG, "big.sql").tables
    catalog = tables_with_views(inputs)
    kept = tuple(query for query in inputs.queries if level(query, inputs, catalog).bounded)
    return inputs, catalog, kept


def level(query: NamedTree, inputs: Inputs, catalog: Catalog) -> Level:
    subject = subject_of(query, inputs, catalog, Options())
    return subject.level if isinstance(subject, Answer) else level_of(subject)


def subquery() -> exp.Expr:
    return parse_one(UNBOUNDED, read="spark")


def is_computed(node: exp.Expr) -> bool:
    """What EXISTS shows, what nobody reads of a subquery in FROM, and a WITH that nobody names are never computed."""
    select = node.find_ancestor(exp.Select)
    top = select is not None and select.find_ancestor(exp.Query) is None
    shown = any(part is node for item in select.expressions for part in item.walk()) if select else False
    return (top or not shown) and node.find_ancestor(exp.CTE, exp.DataType, exp.Interval, exp.Hint) is None


def grafted(random_: random.Random, tree: exp.Expr) -> exp.Expr | None:
    """The tree with the subquery somewhere in it."""
    tree = tree.copy()
    if random_.random() < 0.5 and isinstance(tree, exp.Select):
        return random_.choice(CLAUSES)(tree)
    places = [node for node in tree.find_all(*KINDS) if node.parent is not None and is_computed(node)]
    places = [
        node for node in places if not isinstance(node.parent, exp.JSONPath | exp.Placeholder | exp.Parameter)
    ]
    if not places:
        return None
    random_.choice(places).replace(subquery())
    return tree


def ordered(tree: exp.Select) -> exp.Expr:
    return tree.order_by(subquery(), append=True)


def limited(tree: exp.Select) -> exp.Expr:
    return tree.limit(subquery())


def shifted(tree: exp.Select) -> exp.Expr:
    return tree.offset(subquery())


def grouped(tree: exp.Select) -> exp.Expr:
    return tree.group_by(subquery(), append=True)


def having(tree: exp.Select) -> exp.Expr:
    return tree.having(exp.GT(this=subquery(), expression=exp.Literal.number(1)))


def distinct(tree: exp.Select) -> exp.Expr:
    tree.set("distinct", exp.Distinct(on=exp.Tuple(expressions=[subquery()])))
    return tree


def windowed(tree: exp.Select) -> exp.Expr:
    window = exp.Window(this=exp.RowNumber(), partition_by=[subquery()])
    return tree.select(exp.alias_(window, "hw_rank"))


def named_window(tree: exp.Select) -> exp.Expr:
    tree.set("windows", [exp.Window(this=exp.to_identifier("hw_w"), partition_by=[subquery()])])
    return tree


def qualified(tree: exp.Select) -> exp.Expr:
    window = exp.Window(this=exp.RowNumber(), partition_by=[subquery()])
    tree.set("qualify", exp.Qualify(this=exp.LTE(this=window, expression=exp.Literal.number(3))))
    return tree


def outer_join(tree: exp.Select) -> exp.Expr:
    return tree.join(
        "hw_big AS hw_joined",
        join_type="left",
        on=exp.EQ(this=exp.column("id", "hw_joined"), expression=subquery()),
    )


def replaced_star(tree: exp.Select) -> exp.Expr:
    tree.set("expressions", [exp.Star(replace=[exp.alias_(subquery(), "id")])])
    return tree


def prewhere(tree: exp.Select) -> exp.Expr:
    tree.set("prewhere", exp.PreWhere(this=exp.GT(this=subquery(), expression=exp.Literal.number(1))))
    return tree


def written(tree: exp.Select) -> exp.Expr:
    return tree.with_(
        "hw_gone", as_=parse_one("DELETE FROM hw_big WHERE a % 7 = 3 RETURNING id", read="postgres")
    )


def correlated(tree: exp.Select) -> exp.Expr:
    corr = exp.Corr(this=exp.Literal.number(1), expression=subquery())
    return exp.select(corr).from_(
        exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier("hw_all")))
    )


CLAUSES = (
    ordered, limited, shifted, grouped, having, distinct, windowed, named_window, qualified, outer_join,
    replaced_star, prewhere, written, correlated,
)  # fmt: skip


def false_proofs(stem: str, seed: int, number: int) -> list[str]:
    random_ = random.Random(seed)
    inputs, catalog, queries = bounded(stem)
    wrong = []
    for _ in range(number):
        query = random_.choice(queries)
        assert query.tree is not None
        tree = grafted(random_, query.tree)
        if tree is None:
            continue
        graft = NamedTree(query.name, SqlText(tree.sql(), "graft.sql"), tree, None)
        if level(graft, inputs, catalog).bounded:
            wrong.append(f"{stem}.{query.name}: {tree.sql()}")
    return wrong


@pytest.mark.parametrize("stem", FILES)
def test_no_bound_leaves_a_subquery_out(stem: str) -> None:
    wrong = false_proofs(stem, 7, scaled(60))
    assert not wrong, "\n".join(wrong)


def test_without_the_guards_bounds_leave_subqueries_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "unread", lambda self, tree: None)
    monkeypatch.setattr(analysing, "unanswered", lambda plan: None)
    assert len(false_proofs("rails_store", 7, 60)) > 0
