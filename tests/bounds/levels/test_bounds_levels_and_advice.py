"""What goes beyond the paper's examples: two ranges, windows of numbers, rankings, hot spots, advice, constraints."""

from __future__ import annotations

import pytest

from headwater.algebra.expressions.sql import sql_of
from headwater.bounds.answers.advice import advise
from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.plans.plan import Each, Probe, index_text
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import tables_with_views
from headwater.errors import InputError
from headwater.model import SqlText
from headwater.sql.parsing.parser import normalised_tree

SCHEMA = """
CREATE TABLE authors (id BIGINT PRIMARY KEY, name STRING NOT NULL, born INT);
CREATE TABLE books (id BIGINT PRIMARY KEY, author BIGINT NOT NULL REFERENCES authors (id), subject STRING,
  price INT, sold INT, in_print BOOLEAN, title STRING, added TIMESTAMP TEMPORAL);
CREATE TABLE sales (id BIGINT PRIMARY KEY, book BIGINT NOT NULL REFERENCES books (id), buyer BIGINT, quantity INT,
  day INT, CARDINALITY LIMIT 50 (buyer));
"""


def subject(sql: str, schema: str = SCHEMA, **maxima: int) -> Subject:
    catalog = tables_with_views(read_sql(schema, "schema.sql"))
    text = SqlText(sql)
    return Subject("q", read_query(normalised_tree(text), catalog.tables, text), catalog, maxima)


def ask(sql: str, schema: str = SCHEMA, **maxima: int) -> Answer:
    return analyse(subject(sql, schema, **maxima))


def level(sql: str, **maxima: int) -> str:
    return ask(sql, **maxima).level.value


def probes(answer: Answer) -> list[Probe]:
    reads, pending = [], [answer.bounded_plan.plan] if answer.bounded_plan else []
    while pending:
        plan = pending.pop()
        if isinstance(plan, Probe):
            reads.append(plan)
        if hasattr(plan, "child"):
            pending.append(plan.child)
    return reads


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM books WHERE id IN (1, 2, 3)", "SI-0"),
        ("SELECT * FROM books WHERE id = 1 OR id = :x", "SI-0"),
        ("SELECT * FROM books WHERE id = :x OR title = :t LIMIT 3", "SI-1"),
        ("SELECT * FROM books WHERE subject = :s AND price BETWEEN :a AND :b ORDER BY price LIMIT 3", "SI-1"),
        ("SELECT * FROM books WHERE subject = :s AND price > :a ORDER BY sold LIMIT 3", "unbounded"),
        ("SELECT * FROM books WHERE price > :a AND sold > :b LIMIT 3", "unbounded"),
        ("SELECT * FROM books WHERE price > 10 AND sold > :b ORDER BY sold LIMIT 3", "SI-1"),
        ("SELECT * FROM books WHERE title LIKE :p || '%' ORDER BY title LIMIT 3", "SI-1"),
        ("SELECT * FROM books WHERE title LIKE 'The %' LIMIT 3", "SI-1"),
        ("SELECT * FROM books WHERE title LIKE '%The' LIMIT 3", "SI-1"),  # constant: a condition of the index
        ("SELECT * FROM books WHERE title LIKE :p LIMIT 3", "unbounded"),
        ("SELECT * FROM books WHERE TOKEN(title) = :w ORDER BY price LIMIT 3", "SI-1"),
        ("SELECT * FROM books b JOIN authors a ON a.id = b.author WHERE b.subject = :s ORDER BY b.title LIMIT 3", "SI-1"),
        ("SELECT * FROM books b JOIN authors a ON a.id = b.author WHERE b.subject = :s ORDER BY a.name LIMIT 3", "unbounded"),
        ("SELECT * FROM books b LEFT JOIN authors a ON a.id = b.author WHERE b.id = :i", "SI-0"),
        ("SELECT * FROM authors a LEFT JOIN books b ON b.author = a.id WHERE a.id = :i", "unbounded"),
        ("SELECT * FROM authors WHERE id IN (SELECT author FROM books WHERE id = :b)", "SI-0"),
        ("SELECT * FROM books b WHERE b.id = :b AND EXISTS (SELECT 1 FROM authors a WHERE a.id = b.author)", "SI-0"),
        ("SELECT b.* FROM sales s JOIN books b ON b.id = s.book WHERE s.buyer = :u", "SI-1"),
        ("SELECT SUM(quantity), AVG(quantity) FROM sales WHERE buyer = :u", "SI-1"),
        ("SELECT AVG(quantity), STDDEV(quantity) FROM sales WHERE book = :b", "SI-2"),
        ("SELECT MIN(price), MAX(sold) FROM books WHERE subject = :s", "SI-1"),
        ("SELECT COUNT(DISTINCT buyer) FROM sales WHERE book = :b", "unbounded"),
        ("SELECT DISTINCT subject FROM books LIMIT 3", "SI-1"),
        ("SELECT DISTINCT id, subject FROM books WHERE subject = :s LIMIT 3", "SI-1"),
        ("SELECT COUNT(*) FROM books", "unbounded"),
        ("SELECT id FROM books WHERE subject = :s UNION ALL SELECT id FROM authors WHERE born = :b ORDER BY 1 LIMIT 3", "SI-1"),
        ("SELECT * FROM books b WHERE b.price = (SELECT MAX(price) FROM books) LIMIT 3", "SI-1"),
        ("SELECT * FROM books WHERE id IN (SELECT book FROM sales WHERE day = :d ORDER BY id LIMIT 9)", "SI-1"),
        ("SELECT id FROM books WHERE subject = 'a' UNION ALL SELECT id FROM books WHERE subject = 'b' UNION ALL "
         "SELECT id FROM authors WHERE born = :b ORDER BY 1 LIMIT 3", "SI-1"),
        ("SELECT id FROM books LIMIT 3", "SI-0"),
        ("SELECT id FROM books ORDER BY id DESC LIMIT 3", "SI-0"),
        ("SELECT id FROM books", "unbounded"),
        ("SELECT 1 + :x", "SI-0"),
    ],
)  # fmt: skip
def test_levels(sql: str, expected: str) -> None:
    assert level(sql) == expected


def test_two_ranges_over_a_column_of_few_values_are_a_skip_scan() -> None:
    answer = ask(
        "SELECT id FROM books WHERE subject = :s AND in_print >= :p AND price > :x ORDER BY price LIMIT 5"
    )
    assert answer.level is Level.SI_1
    (probe,) = probes(answer)
    assert any(isinstance(binding, Each) and binding.most == 2 for binding in probe.bindings)
    assert answer.operations == 5  # three steps of the skip scan, two ranges


def test_a_window_of_whole_numbers_is_bounded_by_its_width() -> None:
    schema = "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k, v), CARDINALITY LIMIT 3 (k));"
    answer = ask("SELECT * FROM t WHERE k > :x AND k <= :x + 10", schema)
    assert (answer.level, answer.results) == (Level.SI_0, 33)
    assert ask("SELECT * FROM t WHERE k > :x AND k <= :y", schema).level is Level.UNBOUNDED


def test_lists_need_a_maximum() -> None:
    sql = "SELECT * FROM books WHERE id IN (:ids)"
    assert level(sql) == "unbounded"
    answer = ask(sql, ids=20)
    assert (answer.level, answer.operations) == (Level.SI_0, 20)


def test_a_ranking_over_a_kept_aggregate_reads_an_index_on_it() -> None:
    answer = ask("SELECT book, SUM(quantity) AS n FROM sales GROUP BY book ORDER BY n DESC LIMIT 10")
    assert answer.level is Level.SI_2
    assert (answer.operations, answer.results) == (1, 10)
    assert any(index_text(index).startswith("q_view(sum_quantity") for index in answer.indexes)


def test_fetched_sources_stay_out_of_a_view() -> None:
    sql = "SELECT a.name, s.subject, COUNT(*) AS n FROM books s JOIN authors a ON a.id = s.author WHERE s.subject = :s GROUP BY a.id, a.name, s.subject ORDER BY n DESC LIMIT 5"
    answer = ask(sql)
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    (view,) = answer.choice.views
    assert [source.table for source in view.candidate.definition.sources] == ["books"]
    assert answer.operations == 1 + 5  # the index's range, then five authors


def test_an_index_led_by_a_temporal_column_is_staged() -> None:
    answer = ask("SELECT id, title FROM books ORDER BY added DESC LIMIT 20")
    assert answer.level is Level.SI_3
    assert answer.periodic is not None
    assert answer.periodic.refreshed
    assert answer.periodic.stagings[0].key[0] == "HASH(id)"
    since = ask("SELECT id FROM books WHERE added > :t ORDER BY added LIMIT 20")
    assert since.level is Level.SI_3
    assert since.periodic is not None
    assert not since.periodic.refreshed  # any :t may come, so all partitions are read in parallel
    assert level("SELECT id FROM books WHERE subject = :s ORDER BY added DESC LIMIT 20") == "SI-1"


def test_a_windowed_count_of_a_temporal_column_is_not_led_by_it() -> None:
    schema = SCHEMA.replace("day INT", "day BIGINT TEMPORAL")
    answer = ask("SELECT COUNT(*) FROM sales WHERE book = :b AND day >= :now - 7", schema)
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    assert answer.choice.views[0].candidate.table.key == ("book", "epoch")


def test_a_view_of_a_project_is_a_table_with_a_key() -> None:
    schema = (
        SCHEMA + "CREATE MATERIALIZED VIEW per_book AS SELECT book, COUNT(*) AS n FROM sales GROUP BY book;"
    )
    answer = ask("SELECT n FROM per_book WHERE book = :b", schema)
    assert (answer.level, answer.operations) == (Level.SI_0, 1)


def test_writes_are_analysed_by_what_they_read() -> None:
    inputs = read_sql(
        SCHEMA
        + "-- name: w\nDELETE FROM sales WHERE buyer = :b;\n-- name: x\nDELETE FROM books WHERE price = 1;",
        "f",
    )
    from headwater.bounds.answers.check import check
    from headwater.bounds.reading.subjects import Options

    levels = {query.name: query.level for query in check(inputs, Options())}
    assert levels == {"w": Level.SI_1, "x": Level.UNBOUNDED}


@pytest.mark.parametrize(
    ("sql", "text", "reached"),
    [
        ("SELECT * FROM books WHERE subject = :s", "add LIMIT n", Level.SI_1),
        ("SELECT * FROM books WHERE subject = :s", "declare CARDINALITY LIMIT n (subject) on books", Level.SI_1),
        ("SELECT * FROM books WHERE title = :t", "declare UNIQUE (title) on books", Level.SI_1),
        ("SELECT id FROM books WHERE subject = :s AND price > :p ORDER BY sold LIMIT 9", "drop ORDER BY books.sold", Level.SI_1),
        ("SELECT id FROM books WHERE subject = :s AND price > :p ORDER BY sold LIMIT 9", "drop the range on books.price", Level.SI_1),
        ("SELECT id FROM books WHERE id IN (:ids)", "declare the list's maximum: -- param: ids <= n", Level.SI_0),
        ("SELECT id FROM books WHERE title LIKE :p LIMIT 5", "search by prefix: books.title LIKE :p || '%'", Level.SI_1),
    ],
)  # fmt: skip
def test_advice_is_applied_and_reaches_its_level(sql: str, text: str, reached: Level) -> None:
    asked = subject(sql)
    advice = {advised.text: advised.level for advised in advise(asked, analyse(asked))}
    assert advice[text] is reached


def test_advice_in_pairs_when_one_change_is_not_enough() -> None:
    asked = subject("SELECT x.id FROM books x JOIN sales s ON s.book = x.id WHERE x.subject = :s")
    (advice,) = advise(asked, analyse(asked))
    assert ", and " in advice.text
    assert advice.level.bounded


def test_advice_to_mark_a_time() -> None:
    schema = SCHEMA.replace("added TIMESTAMP TEMPORAL", "added TIMESTAMP")
    asked = subject("SELECT id FROM books ORDER BY added DESC LIMIT 5", schema)
    (advice,) = advise(asked, analyse(asked))
    assert advice.text.startswith("mark added TEMPORAL")
    assert advice.level is Level.SI_3


def test_reasons_point_at_the_source() -> None:
    answer = ask("SELECT b.id FROM books b WHERE b.price > :p AND b.sold < :q LIMIT 5")
    first = answer.reasons[0]
    assert first.place is not None
    assert first.place.text[first.place.column - 1 :].startswith("books")
    assert "two ranges" in first.text


def test_partial_indexes_take_what_is_the_same_for_every_call() -> None:
    answer = ask("SELECT id FROM books WHERE in_print AND sold > 100 AND subject = :s ORDER BY title LIMIT 5")
    (index,) = answer.indexes
    assert {sql_of(condition) for condition in index.where} == {"sold > 100"}
    assert "in_print" in [sql_of(part.expr) for part in index.parts]  # a boolean by itself is an equality


def test_a_table_declared_twice_is_refused_in_any_dialect() -> None:
    twice = "CREATE TABLE t (id serial PRIMARY KEY); CREATE TABLE T (id serial PRIMARY KEY);"
    with pytest.raises(InputError, match="declared twice"):
        read_sql(twice, "f.sql", "postgres")


def test_contradicting_constants_stay_contradicting_in_a_view() -> None:
    sql = "SELECT s.book FROM sales s JOIN sales o ON o.buyer = s.buyer WHERE s.book = :a AND o.book = 1 AND o.book = 2 LIMIT 3"
    answer = ask(sql)
    assert answer.choice is not None
    assert {"o.book = 1", "o.book = 2"} <= {
        sql_of(condition) for condition in answer.choice.views[0].candidate.definition.where
    }


def test_an_expression_does_not_determine_its_column() -> None:
    """lower(name) may be shared by any number of names, though the name is a key."""
    schema = "CREATE TABLE t (name STRING PRIMARY KEY, a INT);"
    assert ask("SELECT * FROM t WHERE lower(name) = :n", schema).level is Level.UNBOUNDED
    assert ask("SELECT * FROM t WHERE lower(name) = :n LIMIT 5", schema).level is Level.SI_1
