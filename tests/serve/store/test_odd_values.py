"""Whatever value a parameter is given, the answer is rows or one clear message: from Python, and as texts of a command line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options
from headwater.errors import InputError
from support.store.kept_stores import KeptStore

SCHEMA = """CREATE TABLE t (id INT PRIMARY KEY, b BIGINT NOT NULL, s STRING, d DOUBLE, n DECIMAL(10,2), day DATE,
  at TIMESTAMP, ok BOOLEAN, x BINARY, CARDINALITY LIMIT 50 (b));"""
CONDITIONS = {
    "by_id": "id = :p", "around": "id BETWEEN :p AND :p + 9", "listed": "id IN (:p)", "texts": "s IN (:p)",
    "by_text": "s = :p", "by_double": "d >= :p", "by_decimal": "n < :p", "by_day": "day > :p", "by_time": "at <= :p",
    "by_truth": "ok = :p", "by_bytes": "x = :p", "prefix": "s LIKE :p || '%'", "untyped": ":p = 1", "modulo": "id % :p = 0",
    "product": "d * :p > id / :p", "cased": "CASE WHEN :p > 3 THEN s ELSE :p END = s", "cast": "day = CAST(:p AS DATE)",
    "part": "substring(s, :p, 2) = 'ab'", "length": "length(:p) = 2", "year": "year(at) = :p", "same": "s <=> :p",
    "rows": "(s, id) > (:p, 1)", "moved": "id - :p = 3", "folded": "lower(s) = upper(:p)",
}  # fmt: skip
VALUES: list[Any] = [
    None, 0, 1, -1, 2**31, -(2**63), 2**64, 10**400, 1.5, float("nan"), float("inf"), -0.0, Decimal("1.50"),
    Decimal("NaN"), Decimal("sNaN"), Decimal("1e500"), True, b"a", b"\0\xff", bytearray(b"q"), date.max, datetime.max,
    datetime(2020, 1, 1, tzinfo=UTC), time(1), timedelta(days=1), [], [1], [None], [1, "a"], [1, 2, 3, 4], [[1]], {1},
    {"a": 1}, object(), len, 1j, range(3), iter([1]),
    "", "a", "ab", "1", "1.5", "ä", "日本", "\ud800", "x\0y", "%", "_", "x" * 9999, "2020-01-01", "2020-13-01", "true",
    "2020-01-01T00:00:00Z", "0000-00-00", "1e5", "1e400", "inf", "nan", "１２", "٣", " 1 ", "+1", "--1", "0x10", "' OR 1=1 --",
]  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeptStore]:
    texts = [f"-- param: p <= 3\n-- name: {name}\nSELECT id FROM t WHERE b = 1 AND {condition};"
             for name, condition in CONDITIONS.items()]  # fmt: skip
    texts += ["-- name: most\nSELECT id FROM t WHERE b = 1 ORDER BY id LIMIT :p;",
              "-- name: skipped\nSELECT id FROM t WHERE b = 1 ORDER BY id LIMIT 3 OFFSET :p;",
              "-- name: shown\nSELECT id, id + :p AS more, upper(s) || :p AS text FROM t WHERE b = 1;",
              "-- name: ordered\nSELECT id FROM t WHERE b = 1 ORDER BY abs(id - :p) LIMIT 2;"]  # fmt: skip
    inputs = read_sql(SCHEMA + "\n".join(texts), "q.sql")
    rows = [
        {"id": number, "b": 1, "s": "ab"[: number % 3] or None, "d": number / 2, "n": Decimal(number), "ok": None,
         "day": date(2020, 1, 1), "at": datetime(2020, 1, 1, tzinfo=UTC), "x": b"\0\xff"}
        for number in range(12)
    ]  # fmt: skip
    answers = {answer.name: answer for answer in check(inputs, Options())}
    store = KeptStore(tmp_path_factory.mktemp("odd"), answers, ["t"], {"t": rows})
    yield store
    store.close()


def test_every_value_is_answered_or_refused(kept: KeptStore) -> None:
    assert len(kept.layouts) == len(CONDITIONS) + 4
    answered = 0
    for name in kept.layouts:
        for value in VALUES:
            try:
                kept.answering.answer(name, {"p": value})
                answered += 1
            except InputError:
                continue
            except Exception as error:
                raise AssertionError(f"{name} with {value!r}") from error
    assert answered > 400


def test_numbers_are_written_as_texts_on_a_command_line(kept: KeptStore) -> None:
    def ids(name: str, value: str) -> list[int]:
        return [row["id"] for row in kept.answering.answer(name, {"p": value}).rows]

    assert sorted(ids("modulo", "5")) == [0, 5, 10]
    assert ids("moved", " 4 ") == [7]
    assert sorted(ids("part", "1")) == [2, 5, 8, 11]
    assert len(ids("year", "2020")) == 12
    assert len(ids("product", "2.5")) == 11  # zero is not above zero
    for name, value in (
        ("modulo", "five"),
        ("part", "1.5"),
        ("cased", "b'x'"),
        ("most", "-1"),
        ("product", "true"),
    ):
        with pytest.raises(InputError):
            kept.answering.answer(name, {"p": value})
