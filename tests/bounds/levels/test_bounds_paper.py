"""The paper's running examples, literally: tags and documents (sections 2 to 6)."""

from __future__ import annotations

from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Column
from headwater.bounds.answers.analyse import Subject, analyse
from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.query.block import Select
from headwater.bounds.query.dependencies import dependencies
from headwater.bounds.reading.read import read_query
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import tables_with_views
from headwater.bounds.views.attributes import adjacent, attributes_of
from headwater.model import SqlText
from headwater.sql.parsing.parser import normalised_tree

DOCUMENTS = "CREATE TABLE Documents (docId BIGINT PRIMARY KEY, timestamp BIGINT, text STRING);"
TAGS = "CREATE TABLE Tags (docId BIGINT, tag STRING, timestamp BIGINT, PRIMARY KEY (docId, tag)) WITH CARDINALITY (tag, 10);"
UNLIMITED = "CREATE TABLE Tags (docId BIGINT, tag STRING, timestamp BIGINT, PRIMARY KEY (docId, tag));"
TEMPORAL = (
    "CREATE TABLE Tags (docId BIGINT, tag STRING, timestamp TIMESTAMP TEMPORAL, PRIMARY KEY (docId, tag)) "
    "WITH CARDINALITY (tag, 10);"
)
TWO_TAGS = (
    "SELECT t1.docId FROM tags t1, tags t2, documents d WHERE t1.docId = t2.docId AND t1.docId = d.docId "
    "AND t1.tag = :tag1 AND t2.tag = :tag2 ORDER BY d.timestamp LIMIT 5"
)
POPULAR = "SELECT tag, COUNT(*) FROM (SELECT * FROM Tags ORDER BY timestamp LIMIT 5000) GROUP BY tag"


def subject(schema: str, sql: str, name: str = "q") -> Subject:
    catalog = tables_with_views(read_sql(schema, "schema.sql"))
    text = SqlText(sql)
    return Subject(name, read_query(normalised_tree(text), catalog.tables, text), catalog)


def ask(schema: str, sql: str, name: str = "q") -> Answer:
    return analyse(subject(schema, sql, name))


def test_tags_of_a_document_scan_a_range_of_the_primary_key() -> None:
    answer = ask(TAGS, "SELECT * FROM Tags WHERE docId = :doc")
    assert answer.level is Level.SI_0
    assert (answer.operations, answer.results) == (1, 10)
    assert answer.indexes == ()


def test_without_the_limit_the_tags_of_a_document_are_unbounded() -> None:
    assert ask(UNLIMITED, "SELECT * FROM Tags WHERE docId = :doc").level is Level.UNBOUNDED


def test_the_sets_of_two_tags() -> None:
    query = subject(DOCUMENTS + TAGS, TWO_TAGS).query
    assert isinstance(query, Select)
    attributes = attributes_of(query, frozenset(query.aliases))
    assert attributes.equal == (Column("tag", "t1"), Column("tag", "t2"))
    assert attributes.ranged == ()
    classes = {frozenset(sql_of(member) for member in group) for group in attributes.classes.groups}
    assert classes == {
        frozenset({"t1.docId", "t2.docId", "d.docId"}), frozenset({"t1.tag", ":tag1"}), frozenset({"t2.tag", ":tag2"}),
    }  # fmt: skip
    assert [sql_of(condition) for condition in attributes.where] == [
        "t1.docId = t2.docId",
        "t2.docId = d.docId",
    ]


def test_two_tags_gets_the_view_of_the_paper() -> None:
    answer = ask(DOCUMENTS + TAGS, TWO_TAGS, "twoTags")
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    (view,) = answer.choice.views
    assert view.candidate.key == (
        Column("tag", "t1"), Column("tag", "t2"), Column("timestamp", "d"), Column("docId", "d"),
    )  # fmt: skip
    assert view.sql == (
        "SELECT t1.tag AS t1tag, t2.tag AS t2tag, d.timestamp, d.docId FROM Tags t1, Tags t2, Documents d "
        "WHERE t1.docId = t2.docId AND t2.docId = d.docId"
    )
    assert answer.rewritten == (
        "SELECT twoTags_view.docId FROM twoTags_view WHERE twoTags_view.t1tag = :tag1 "
        "AND twoTags_view.t2tag = :tag2 ORDER BY twoTags_view.timestamp LIMIT 5"
    )
    assert (answer.operations, answer.results) == (1, 5)


def test_the_dependencies_of_two_tags() -> None:
    answer = ask(DOCUMENTS + TAGS, TWO_TAGS)
    assert answer.choice is not None
    view = answer.choice.views[0]
    rules = dependencies(view.candidate.definition, answer.choice.catalog)
    weights = {(tuple(sorted(sql_of(column) for column in rule.source)), rule.weight) for rule in rules}
    assert {(("d.docId",), 1), (("t1.docId",), 10), (("t2.docId",), 10), (("t1.docId",), 1)} <= weights
    assert (view.storage.relative_to, view.storage.factor) == ("Tags", 10)


def test_the_rule_new_tag_is_the_papers() -> None:
    answer = ask(DOCUMENTS + TAGS, TWO_TAGS)
    assert answer.choice is not None
    first, second, document = answer.choice.views[0].maintenance
    assert (first.delta.table, first.delta.alias) == ("Tags", "t1")
    assert first.delta.sql.startswith(
        "SELECT :tag AS t1tag, t2.tag AS t2tag, d.timestamp, d.docId FROM Tags t2, Documents d"
    )
    assert first.operations == 1 + 1 + 10  # one range, the document, ten writes
    assert (second.delta.alias, second.operations) == ("t2", 12)
    assert (document.delta.table, document.operations) == ("Documents", 1 + 10 + 100)


def test_without_the_limit_two_tags_is_refused_for_its_storage() -> None:
    answer = ask(DOCUMENTS + UNLIMITED, TWO_TAGS)
    assert answer.level is Level.UNBOUNDED
    assert any("could grow faster than every one of its tables" in reason.text for reason in answer.reasons)


def test_transitive_equalities_are_kept() -> None:
    sql = "SELECT x.docId FROM tags x, tags y WHERE x.tag = :p AND y.tag = :p AND x.docId = y.docId ORDER BY x.timestamp LIMIT 3"
    query = subject(TAGS, sql).query
    assert isinstance(query, Select)
    attributes = attributes_of(query, frozenset(query.aliases))
    assert "x.tag = y.tag" in [sql_of(condition) for condition in attributes.where]


def test_adjacency_is_algorithm_1() -> None:
    a, b = Column("a", "t"), Column("b", "t")
    assert adjacent((), (a,))
    assert adjacent((a,), (a, b))
    assert adjacent((a,), ())
    assert not adjacent((a,), (b, a))
    assert not adjacent((a, b), ())


def test_count_tags() -> None:
    answer = ask(TAGS, "SELECT COUNT(*) FROM Tags WHERE tag = :tag", "countTags")
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    (view,) = answer.choice.views
    assert view.sql == "SELECT Tags.tag, COUNT(*) AS cnt FROM Tags GROUP BY Tags.tag"
    (rule,) = view.maintenance
    assert rule.delta.sql == "SELECT :tag AS tag, +1 AS cnt"
    assert rule.operations == 1
    assert answer.operations == 1


def test_count_two_tags_increments_all_pairs() -> None:
    sql = "SELECT COUNT(*) FROM tags t1, tags t2 WHERE t1.docId = t2.docId AND t1.tag = :a AND t2.tag = :b"
    answer = ask(TAGS, sql)
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    first, second = answer.choice.views[0].maintenance
    assert (
        first.delta.sql
        == "SELECT :tag AS t1tag, t2.tag AS t2tag, +1 AS cnt FROM Tags t2 WHERE :docId = t2.docId"
    )
    # The second occurrence leaves out the inserted row itself, which the first has joined with itself.
    assert "t1.docId <> :docId OR t1.tag <> :tag" in second.delta.sql
    assert first.operations == 11


def test_count_tags_in_a_window_has_an_epoch_first() -> None:
    answer = ask(TAGS, "SELECT COUNT(*) FROM Tags WHERE tag = :tag AND timestamp > :now - 60000", "windowed")
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    (view,) = answer.choice.views
    assert view.sql == (
        "SELECT Tags.timestamp - Tags.timestamp % 60000 AS epoch, Tags.tag, COUNT(*) AS cnt FROM Tags "
        "GROUP BY Tags.timestamp - Tags.timestamp % 60000, Tags.tag"
    )
    assert any("epochs of 60000" in assumption for assumption in answer.assumes)


def test_popular_tags_is_staged_and_refreshed() -> None:
    answer = ask(TEMPORAL, POPULAR, "popularTags")
    assert answer.level is Level.SI_3
    periodic = answer.periodic
    assert periodic is not None
    (staging,) = periodic.stagings
    assert staging.sql == "SELECT HASH(docId, tag), timestamp, tag FROM Tags"
    assert "FROM popularTags_staging" in periodic.sql
    assert periodic.sql.endswith("ORDER BY Tags.timestamp LIMIT 5000) subquery GROUP BY subquery.tag")
    assert periodic.serial == 5000


def test_without_temporal_popular_tags_is_an_index() -> None:
    answer = ask(TAGS, POPULAR)
    assert answer.level is Level.SI_1
    assert [sql_of(part.expr) for part in answer.indexes[0].parts][0] == "timestamp"


def test_select_1_is_trivially_bounded() -> None:
    answer = ask(TAGS, "SELECT 1")
    assert (answer.level, answer.operations, answer.results) == (Level.SI_0, 0, 1)


def test_median_is_holistic_and_max_is_read_from_an_order() -> None:
    assert ask(TAGS, "SELECT MEDIAN(timestamp) FROM Tags WHERE tag = :t").level is Level.UNBOUNDED
    assert ask(TAGS, "SELECT MAX(timestamp) FROM Tags WHERE tag = :t").level is Level.SI_1
    sql = "SELECT MAX(d.timestamp) FROM tags t JOIN tags o ON o.docId = t.docId JOIN documents d ON d.docId = t.docId WHERE t.tag = :a AND o.tag = :b"
    answer = ask(DOCUMENTS + TAGS, sql)
    assert answer.level is Level.SI_2
    assert answer.choice is not None
    assert not answer.choice.views[0].candidate.grouped
