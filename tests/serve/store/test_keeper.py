"""The store follows the pipeline: exactly once, whatever is killed, added, dropped or compacted in between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.engine.push.gathering import gather
from headwater.engine.upkeep.compaction import compact
from headwater.errors import InputError
from headwater.serve.store.backends.sqlite import SqliteStore
from headwater.serve.store.keeping import keeper as keeping
from headwater.serve.store.keeping.keeper import Keeper
from headwater.serve.store.keeping.relations import Relations
from headwater.serve.store.keeping.verification import verify_store
from headwater.serve.store.opening import open_store, store_path
from headwater.storage.timeline import WEIGHT
from support.store.projects import StoreProject, deleted
from support.without_spark import workplace

TABLES = """
CREATE TABLE docs (id BIGINT PRIMARY KEY, title STRING NOT NULL);
CREATE TABLE tags (doc BIGINT REFERENCES docs (id), tag STRING, PRIMARY KEY (doc, tag), CARDINALITY LIMIT 9 (doc));
CREATE TABLE clicks (page STRING NOT NULL, seconds DOUBLE);
"""
TWO_TAGS = """
CREATE QUERY two_tags AS SELECT a.doc, d.title FROM tags a JOIN tags b ON a.doc = b.doc JOIN docs d ON d.id = a.doc
  WHERE a.tag = :tag1 AND b.tag = :tag2 LIMIT 50;
"""
COUNTS = "CREATE QUERY counts AS SELECT count(*) AS n FROM tags WHERE tag = :tag;"
CLICKS = "CREATE QUERY clicks_of AS SELECT count(*) AS n, sum(seconds) AS s FROM clicks WHERE page = :page;"
TITLES = "CREATE QUERY titles AS SELECT id FROM docs WHERE title = :title LIMIT 5;"


def filled(folder: Path, queries: str = TWO_TAGS + COUNTS + CLICKS) -> StoreProject:
    project = StoreProject(folder, TABLES + queries)
    project.append("docs", [{"id": n, "title": f"t{n % 3}"} for n in range(12)])
    project.append("tags", [{"doc": n, "tag": tag} for n in range(12) for tag in "abc"[: n % 3 + 1]])
    project.append("clicks", [{"page": "p", "seconds": 0.1 * (n % 3)} for n in range(9)])
    return project


def differences(project: StoreProject) -> list[str]:
    relations = Relations(project.project.catalog, project.project.warehouse)
    parts = verify_store(open_store(project.project.project), relations)
    assert parts
    return [part.part for part in parts if not part.equal]


def rows(project: StoreProject, name: str, **params: Any) -> list[dict[str, Any]]:
    return project.answering().answer(name, params).rows


def test_a_row_counts_from_the_time_of_the_store_on(tmp_path: Path) -> None:
    project = filled(tmp_path)
    with pytest.raises(InputError, match="does not hold") as refused:
        rows(project, "counts", tag="b")
    assert refused.value.code == "HW435"
    project.keep()
    assert rows(project, "counts", tag="b") == [{"n": 8}]
    answer = project.answering().answer("two_tags", {"tag1": "b", "tag2": "c"})
    assert sorted(row["doc"] for row in answer.rows) == [2, 5, 8, 11]
    assert (answer.operations, answer.bound, answer.level) == (1, 1, "SI-2")
    project.append("tags", [{"doc": 0, "tag": "b"}, {"doc": 0, "tag": "c"}, deleted({"doc": 2, "tag": "b"})])
    assert rows(project, "counts", tag="b") == [{"n": 8}]  # not captured yet
    project.keep()
    assert sorted(row["doc"] for row in rows(project, "two_tags", tag1="c", tag2="b")) == [0, 5, 8, 11]
    assert differences(project) == []


def test_equal_rows_of_a_table_without_a_key(tmp_path: Path) -> None:
    project = filled(tmp_path)
    project.keep()
    assert rows(project, "clicks_of", page="p") == [{"n": 9, "s": pytest.approx(0.9)}]
    project.append("clicks", [deleted({"page": "p", "seconds": 0.1})] * 2 + [{"page": "p", "seconds": None}])
    project.keep()
    assert rows(project, "clicks_of", page="p") == [{"n": 8, "s": pytest.approx(0.7)}]
    assert differences(project) == []


def test_a_new_query_is_loaded_beside_the_others_and_a_dropped_one_leaves_what_others_use(
    tmp_path: Path,
) -> None:
    project = filled(tmp_path, COUNTS + TWO_TAGS)
    project.keep()
    before = set(open_store(project.project.project).parts())
    project.append("docs", [{"id": 100, "title": "new"}])
    project.declare(TABLES + COUNTS + TITLES)
    project.keep()
    after = open_store(project.project.project).parts()
    assert rows(project, "titles", title="new") == [{"id": 100}]
    assert rows(project, "counts", tag="a") == [{"n": 12}]
    assert {text for part, text in after.items() if part in before} == {"docs", "tags", "counts_view"}
    assert "two_tags_view" not in after.values()
    assert differences(project) == []
    project.declare(TABLES)
    project.keep()
    assert (open_store(project.project.project).parts(), open_store(project.project.project).times()) == (
        {},
        {},
    )


def test_a_view_of_the_project_is_read_from_its_timeline(tmp_path: Path) -> None:
    view = "CREATE MATERIALIZED VIEW long_titles AS SELECT id, title FROM docs WHERE length(title) > 1;"
    project = filled(
        tmp_path, view + "CREATE QUERY long_title AS SELECT title FROM long_titles WHERE id = :id;"
    )
    project.keep()  # never computed: nothing to load
    catalog, warehouse = project.project.catalog, project.project.warehouse
    timeline = warehouse.stage(catalog.folder("long_titles"))
    timeline.create(pa.schema([("id", pa.int64()), ("title", pa.string())]))

    def push(time: int, changes: list[tuple[int, str, int]]) -> None:
        columns = zip(*changes, strict=True)
        timeline.append(
            pa.table(dict(zip(("id", "title", WEIGHT), map(pa.array, columns), strict=True))), time
        )

    push(1000, [(1, "t1", 1), (2, "t2", 1)])
    project.keep()
    answer = project.answering().answer("long_title", {"id": "2"})
    assert (answer.rows, answer.time.timestamp()) == ([{"title": "t2"}], 0.001)
    push(2000, [(2, "t2", -1), (2, "longer", 1)])
    project.keep()
    assert rows(project, "long_title", id=2) == [{"title": "longer"}]


def test_a_long_pause_is_made_up_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = filled(tmp_path)
    project.keep()
    for number in range(6):
        project.append("tags", [{"doc": number, "tag": tag} for tag in ("x", "y", "z")])
        project.append("tags", [deleted({"doc": number, "tag": "y"})])
    steps = []
    advance = Keeper._advance
    monkeypatch.setattr(keeping, "STEP_ROWS", 4)
    monkeypatch.setattr(Keeper, "_advance", lambda self, *args: (steps.append(args), advance(self, *args)))
    project.keep()
    assert len(steps) > 5
    assert sorted(row["doc"] for row in rows(project, "two_tags", tag1="x", tag2="z")) == [0, 1, 2, 3, 4, 5]
    assert differences(project) == []


class Killed(BaseException):
    """What a kill is to a process: nothing of it runs any more."""


class Dying(SqliteStore):
    """A store whose process is killed at the n-th commit, just before or just after it."""

    kill_at = 0
    after = False

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        self.kill_at -= 1
        with super().transaction() as writing:
            yield writing
            if self.kill_at == 0 and not self.after:
                raise Killed
        if self.kill_at == 0:
            raise Killed


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_a_kill_anywhere_is_harmless(tmp_path: Path, after: bool) -> None:
    for point in (1, 2, 3, 6, 9, 11, 13, 15):
        project = filled(tmp_path / f"{point}{after}")
        store = Dying(store_path(project.project.project.storage))
        store.kill_at, store.after = point, after
        project.keeper = Keeper(store, project.project.warehouse)
        with pytest.raises(Killed):
            _keep_and_change(project)
        project.keeper = Keeper(open_store(project.project.project), project.project.warehouse)
        project.keep()
        assert differences(project) == []
    assert project.keeper.breaches == 0


def _keep_and_change(project: StoreProject) -> None:
    project.keep()
    for number in range(9):
        project.append(
            "tags", [{"doc": number % 12, "tag": f"n{number}"}, deleted({"doc": number % 12, "tag": "a"})]
        )
        project.append("clicks", [{"page": "p", "seconds": 1.5}])
        project.keep()


def test_history_that_was_compacted_away_is_loaded_again(tmp_path: Path) -> None:
    project = filled(tmp_path)
    project.keep()
    for number in range(20):
        project.append("tags", [{"doc": number % 12, "tag": f"n{number}"}])
    source = project.project.warehouse.source("tags")
    assert compact(source, source.time(), many=2)
    assert source.horizon() > project.keeper.store.times()["tags"]
    project.keep()
    assert rows(project, "counts", tag="n3") == [{"n": 1}]
    assert differences(project) == []


def test_what_the_store_lacks_is_not_compacted_and_a_merge_does_not_span_its_time(tmp_path: Path) -> None:
    view = "CREATE MATERIALIZED VIEW all_tags AS SELECT doc, tag FROM tags;"
    project = filled(tmp_path, COUNTS + view)
    for number in range(5):
        project.append("tags", [{"doc": number, "tag": "m"}])
    project.keep()
    kept_to = project.keeper.read_up_to("tags")
    assert kept_to == project.keeper.store.times()["tags"]
    assert project.keeper.read_up_to("docs") is None
    for number in range(5, 10):
        project.append("tags", [{"doc": number, "tag": "m"}])
    at_work = replace(workplace(project.project.warehouse, project.project.catalog), sink=project.keeper)
    source = project.project.warehouse.source("tags")
    before = len(source.snapshot().files)
    gather(at_work, {"all_tags"}, project.watermarks()["tags"])
    times = [file.minimum["_time"] for file in source.snapshot().files]
    assert len(times) == before - 4
    assert sum(time > kept_to for time in times) == 1
    project.keep()
    assert rows(project, "counts", tag="m") == [{"n": 10}]
    assert differences(project) == []


def test_what_differs_is_found_and_mended(tmp_path: Path) -> None:
    project = filled(tmp_path, TWO_TAGS + COUNTS + TITLES)
    project.keep()
    parts = {text: part for part, text in project.keeper.store.parts().items()}
    with project.keeper.store.transaction() as writing:
        writing.delete(parts["two_tags_view"], next(iter(writing.rows(parts["two_tags_view"])))[1])
        connection = writing.connection  # type: ignore[attr-defined]
        index = next(part for text, part in parts.items() if text.startswith("docs("))
        connection.execute(f"DELETE FROM {index} WHERE k = (SELECT max(k) FROM {index})")
    found = {part.kind: part.equal for part in project.project.verify_store() if not part.equal}
    assert found == {"view": False, "index": False}
    project.project.verify_store(repair=True)
    assert differences(project) == []
    assert all(part.equal for part in project.project.verify_store())


def test_a_store_that_is_too_stale_is_refused(tmp_path: Path) -> None:
    project = filled(tmp_path)
    project.keep()
    project.clock.advance(timedelta(seconds=7))
    answering = project.answering()
    answer = answering.answer("counts", {"tag": "a"}, timedelta(seconds=8))
    assert 7 <= answer.staleness_s < 8
    with pytest.raises(InputError) as refused:
        answering.answer("counts", {"tag": "a"}, timedelta(seconds=6))
    assert refused.value.code == "HW436"


def test_a_write_is_seen_at_once_and_counts_once(tmp_path: Path) -> None:
    project = filled(tmp_path)
    assert not project.project.write("tags", {"doc": 1, "tag": "w"}).at_once  # nothing is loaded yet
    project.keep()
    answering = project.answering()
    project.clock.advance(timedelta(seconds=1))
    assert project.project.write("tags", {"doc": 2, "tag": "w"}).at_once
    assert project.project.write("clicks", {"page": "p", "seconds": 0.5}).at_once
    assert answering.answer("counts", {"tag": "w"}).rows == [{"n": 2}]
    assert [row["doc"] for row in answering.answer("two_tags", {"tag1": "w", "tag2": "c"}).rows] == [2]
    assert answering.answer("clicks_of", {"page": "p"}).rows[0]["n"] == 10
    with pytest.raises(InputError):
        project.project.write("tags", {"doc": 2, "tag": "w"})  # its key is taken
    project.append("tags", [{"doc": 3, "tag": "w"}])
    project.keep()
    project.keep()
    assert answering.answer("counts", {"tag": "w"}).rows == [{"n": 3}]
    assert answering.answer("clicks_of", {"page": "p"}).rows[0]["n"] == 10
    assert differences(project) == []


def test_a_write_behind_changes_on_their_way_waits_for_them(tmp_path: Path) -> None:
    project = filled(tmp_path)
    project.keep()
    project.append("docs", [{"op": "update", "row": {"id": 2, "title": "between"}}])
    written = project.project.write("docs", {"op": "update", "row": {"id": 2, "title": "last"}})
    assert not written.at_once
    assert project.project.write("docs", {"op": "update", "row": {"id": 5, "title": "now"}}).at_once
    assert {row["title"] for row in rows(project, "two_tags", tag1="b", tag2="c")} == {"t2", "now"}
    project.keep()
    titles = {row["doc"]: row["title"] for row in rows(project, "two_tags", tag1="b", tag2="c")}
    assert (titles[2], titles[5]) == ("last", "now")
    assert differences(project) == []


def test_a_merge_before_the_first_look_of_a_run_does_not_span_the_time_of_the_store(tmp_path: Path) -> None:
    view = "CREATE MATERIALIZED VIEW all_tags AS SELECT doc, tag FROM tags;"
    project = filled(tmp_path, COUNTS + view)
    for number in range(6):
        project.append("tags", [{"doc": number, "tag": "m"}])
        if number == 2:
            project.keep()
    project.keeper = Keeper(open_store(project.project.project), project.project.warehouse)  # a new run
    at_work = replace(workplace(project.project.warehouse, project.project.catalog), sink=project.keeper)
    gather(at_work, {"all_tags"}, project.watermarks()["tags"])
    project.keep()
    assert rows(project, "counts", tag="m") == [{"n": 6}]
    assert differences(project) == []


def test_a_query_that_cannot_be_computed_keeps_no_other_from_being_answered(tmp_path: Path) -> None:
    odd = "CREATE QUERY odd AS SELECT soundex(title) AS s FROM docs WHERE id = :id;"
    project = filled(tmp_path, COUNTS + TITLES + odd)
    project.keep()
    assert rows(project, "titles", title="t1") != []
    with pytest.raises(InputError, match="soundex") as refused:
        rows(project, "odd", id=1)
    assert refused.value.code == "HW438"


def test_while_a_query_is_loaded_those_of_other_tables_go_on(tmp_path: Path) -> None:
    tables = "CREATE TABLE a (id BIGINT PRIMARY KEY, x BIGINT);\nCREATE TABLE b (id BIGINT PRIMARY KEY, y BIGINT);\n"
    first = "CREATE QUERY of_a AS SELECT x FROM a WHERE id = :id;\n"
    project = StoreProject(tmp_path, tables + first)
    project.append("a", [{"id": 0, "x": 7}])
    project.append("b", [{"id": 1, "y": 1}])
    project.keep()
    project.declare(tables + first + "CREATE QUERY of_b AS SELECT id FROM b WHERE y = :y LIMIT 5;\n")
    captured, seen = project.watermarks(), []

    def meanwhile(part: str, count: int) -> None:
        seen.append(rows(project, "of_a", id=len(seen)))  # what was appended before the last batch
        project.append("a", [{"id": len(seen), "x": 7}])
        captured.update(project.watermarks())
        project.clock.advance(timedelta(seconds=2))

    project.keeper.show = meanwhile
    project.keeper.keep(project.project.catalog, captured)
    assert len(seen) > 1
    assert seen == [[{"x": 7}]] * len(seen)
    assert rows(project, "of_b", y=1) == [{"id": 1}]
    assert differences(project) == []
