"""Random window and group views of quotes as SQL, and quotes that come, change and go."""

from __future__ import annotations

from random import Random

__all__ = ["COMPANIES", "START", "TABLE", "Feed", "random_view"]

TABLE = """
CREATE TABLE quotes (id BIGINT PRIMARY KEY, symbol STRING, venue STRING, at TIMESTAMP TEMPORAL, price DECIMAL(12,4), size INT,
                     spread DOUBLE, open BOOLEAN) EXPECT ROWS 1000000 RATE 20000 PER SECOND{late};
"""
COMPANIES = """
CREATE TABLE companies (ticker STRING, country STRING) EXPECT ROWS 100 RATE 0.1 PER SECOND;
"""
START = 1_767_225_600_000_000  # 2026-01-01 00:00 UTC
AGGREGATES = (
    "count(*)", "count(price)", "sum(size)", "sum(price)", "sum(spread)", "avg(size)", "avg(spread)", "min(price)",
    "max(spread)", "variance(spread)", "stddev(size)", "count_if(open)", "bool_and(open)", "bool_or(open)",
    "max(size) FILTER (WHERE venue > 'x')", "min(struct(size, symbol))", "min(DATE '2026-01-01')", "max(size) + count(*)",
    "sum(CASE WHEN venue = 'x' THEN size ELSE 0 END)", "max(upper(venue))", "max(at)", "var_pop(price)", "sum(price * 2)",
)  # fmt: skip
FILTERS = (
    "symbol = 'a'", "venue < 'z'", "size > 20", "size > 10", "size > 20 AND venue IS NOT NULL", "symbol IN ('a', 'b')", "open",
    "symbol = venue OR size < 40",
)  # fmt: skip
HAVING = ("count(*) > 1", "sum(size) > 30", "max(price) IS NOT NULL")


def random_view(random: Random, name: str) -> str:
    joined = random.random() < 0.3
    keys = [key for key in ("symbol", "venue", *(["country"] if joined else [])) if random.random() < 0.5]
    if random.random() < 0.8 or not keys:
        slide = random.choice((1, 2, 3, 4, 5, 10))
        size = max(slide, random.choice((slide, slide * random.randint(1, 6), random.randint(1, 30))))
        offset = random.choice((0, 0, random.randint(-slide + 1, slide - 1)))
        keys.insert(
            random.randint(0, len(keys)),
            f"window(at, '{size} seconds', '{slide} seconds', '{offset} seconds')",
        )
    windows = any(key.startswith("window") for key in keys)
    retain = f" RETAIN INTERVAL '{random.randint(5, 40)}' SECOND" if windows and random.random() < 0.3 else ""
    relation = "quotes JOIN companies ON symbol = ticker" if joined else "quotes"
    calls = [f"{call} AS a{number}" for number, call in enumerate(random.sample(AGGREGATES, 3))]
    shown = [f"{key} AS w" if key.startswith("window") else key for key in keys]
    where = f" WHERE {random.choice(FILTERS)}" if random.random() < 0.4 else ""
    having = f" HAVING {random.choice(HAVING)}" if random.random() < 0.15 else ""
    select = f"SELECT {', '.join([*shown, *calls])} FROM {relation}{where} GROUP BY {', '.join(keys)}{having}"
    return f"CREATE MATERIALIZED VIEW {name} REFRESH POLICY INCREMENTAL{retain} AS {select};\n"


class Feed:
    """Quotes that come, change and go."""

    def __init__(self, random: Random) -> None:
        self.random, self.next = random, 0
        self.rows: dict[int, dict[str, object]] = {}

    def row(self, number: int) -> dict[str, object]:
        random = self.random
        second = random.choice((number // 2, random.randint(0, 59))) % 60  # some are late
        return {
            "id": number,
            "symbol": random.choice("abc"),
            "venue": random.choice(("x", "y", "z", None)),
            "at": None
            if random.random() < 0.05
            else f"2026-01-01T00:00:{second:02}.{random.randint(0, 1) * 5}Z",
            "price": random.choice((None, f"{random.randint(0, 400) / 4:.2f}")),
            "size": random.choice((None, random.randint(0, 50))),
            "spread": random.choice((None, random.randint(0, 64) / 8)),
            "open": random.choice((None, True, False)),
        }

    def inserts(self, count: int) -> list[dict[str, object]]:
        for _ in range(count):
            self.rows[self.next] = self.row(self.next)
            self.next += 1
        return list(self.rows.values())[-count:]

    def changes(self, count: int) -> list[dict[str, object]]:
        chosen = self.random.sample(sorted(self.rows), count)
        records: list[dict[str, object]] = []
        for number in chosen:
            if self.random.random() < 0.5:
                records.append({"op": "delete", "row": self.rows.pop(number)})
            else:
                self.rows[number] = self.row(number)
                records.append({"op": "upsert", "row": self.rows[number]})
        return records
