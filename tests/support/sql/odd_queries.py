"""Random view texts of everything that SQL has, over tables of all types; they need not mean anything.

What a grammar that makes valid queries (random_queries) leaves out: subqueries in any place, names of the
wrong scope, values of the wrong type, clauses that do not go together.  One grammar, whose clauses are made of
each other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

NUMBER, TEXT, FLAG, DAY, TIME, LIST = "number", "text", "flag", "day", "time", "list"
COLUMNS = {
    "orders": {
        "id": NUMBER, "customer": NUMBER, "total": NUMBER, "at": TIME, "status": TEXT, "quantity": NUMBER,
        "paid": FLAG, "day": DAY, "weight": NUMBER,
    },
    "items": {"item": NUMBER, "order_id": NUMBER, "price": NUMBER, "sku": TEXT},
    "customers": {"customer": NUMBER, "name": TEXT, "city": TEXT},
}  # fmt: skip
LITERALS = {
    NUMBER: ["0", "1", "2.5", "-3", "1e2", "4L", "NULL"],
    TEXT: ["'a'", "'b'", "''", "'it''s'", "NULL"],
    FLAG: ["TRUE", "FALSE", "NULL"],
    DAY: ["DATE '2024-01-02'", "current_date()", "NULL"],
    TIME: ["TIMESTAMP '2024-01-01 01:00:00'", "now()", "NULL"],
    LIST: ["array(1, 2)", "array()", "split('a,b', ',')", "NULL"],
}
# Functions by what they give; N, T, F, D, I and L stand for arguments.
CALLS = {
    NUMBER: [
        "(N + N)",
        "(N - N)",
        "N * N",
        "(N / nullif(N, 0))",
        "N % 3",
        "-N",
        "abs(N)",
        "coalesce(N, N)",
        "length(T)",
        "CASE WHEN F THEN N ELSE N END",
        "CASE N WHEN N THEN N END",
        "greatest(N, N)",
        "CAST(N AS INT)",
        "size(L)",
        "CAST(T AS BIGINT)",
        "year(D)",
        "datediff(D, D)",
        "round(N, 1)",
        "if(F, N, N)",
        "N::double",
        "hash(N, T)",
        "named_struct('x', N).x",
        "element_at(map('k', N), 'k')",
        "aggregate(array(N), 0, (a, x) -> a + x)",
    ],
    TEXT: [
        "upper(T)",
        "T || T",
        "concat(T, N)",
        "substring(T, 1, 1)",
        "coalesce(T, T)",
        "CAST(N AS STRING)",
        "trim(T)",
        "CASE WHEN F THEN T END",
        "L[0]",
        "date_format(I, 'yyyy')",
        "struct(T, N).col1",
        "nullif(T, T)",
    ],
    FLAG: [
        "N = N",
        "N < N",
        "N >= N",
        "T = T",
        "T LIKE 'a%'",
        "N IS NULL",
        "T IS NOT NULL",
        "N BETWEEN N AND N",
        "NOT F",
        "(F AND F)",
        "(F OR F)",
        "N IN (N, N)",
        "T NOT IN (T, NULL)",
        "N <=> N",
        "D < D",
        "I > I",
        "N IS DISTINCT FROM N",
        "F IS TRUE",
        "array_contains(L, T)",
        "(N, T) IN ((N, T))",
        "T RLIKE 'a'",
        "I > now() - INTERVAL '1' HOUR",
        "D >= current_date() - 7",
        "exists(L, x -> x IS NULL)",
    ],
    DAY: ["date_add(D, 1)", "CAST(I AS DATE)", "last_day(D)", "D + INTERVAL 1 DAY", "coalesce(D, D)"],
    TIME: ["I + INTERVAL '1' HOUR", "date_trunc('hour', I)", "CAST(D AS TIMESTAMP)", "coalesce(I, I)"],
    LIST: ["split(T, ',')", "array(T, T)", "transform(L, x -> x)", "array(N, N)", "sort_array(L)"],
}
AGGREGATES = {
    NUMBER: [
        "count(*)", "count(N)", "sum(N)", "avg(N)", "min(N)", "max(N)", "count(DISTINCT T)", "sum(DISTINCT N)",
        "stddev(N)", "count_if(F)", "sum(N) FILTER (WHERE F)", "percentile(N, 0.5)", "median(N)", "max_by(N, N)",
        "sum(sum(N)) OVER ()", "sum(CASE WHEN F THEN N END)", "approx_percentile(N, 0.5)", "grouping(N)",
    ],
    TEXT: ["min(T)", "max(T)", "any_value(T)", "max_by(T, N)", "mode(T)", "string_agg(T, ',')", "first(T)"],
    FLAG: ["bool_and(F)", "bool_or(F)", "max(N) > N", "count(*) > 1", "every(F)"],
    DAY: ["min(D)", "max(D)"], TIME: ["min(I)", "max(I)"],
    LIST: ["collect_list(N)", "collect_set(T)", "array_agg(T ORDER BY N)"],
}  # fmt: skip
WINDOWS = [
    "row_number()", "rank()", "dense_rank()", "ntile(2)", "lag(N)", "lead(N, 2, 0)", "sum(N)", "count(*)", "avg(N)",
    "max(N)", "first_value(N)", "last_value(N) IGNORE NULLS", "nth_value(N, 2)", "percent_rank()", "max_by(N, N)",
    "collect_list(N)", "sum(N) FILTER (WHERE F)", "median(N)", "count(DISTINCT N)",
]  # fmt: skip
FRAMES = [
    "",
    "",
    "",
    " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
    " RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    " ROWS UNBOUNDED PRECEDING",
    " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    " RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING",
]
_LETTERS = {"N": NUMBER, "T": TEXT, "F": FLAG, "D": DAY, "I": TIME, "L": LIST}

Names = list[tuple[str, str]]  # what can be named, and its type


@dataclass
class OddMaker:
    """Makes one text; `around` are the names of the queries around the one being made."""

    chance: random.Random
    number: int = 0
    ctes: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()

    def view(self) -> str:
        parts: list[str] = []
        for _ in range(self.chance.choice([0, 0, 0, 1, 2])):
            sql, columns = self.query(2, [])
            name = self.chance.choice([self.alias("c"), "orders"])
            parts.append(f"{name} AS ({sql})")
            self.ctes = (*self.ctes, (name, tuple(columns)))
        sql, _ = self.query(3, [])
        word = self.chance.choice(["WITH"] * 5 + ["WITH RECURSIVE"])
        return f"{word} {', '.join(parts)} {sql}" if parts else sql

    def alias(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"

    def of(self, *choices: tuple[int, Callable[[], str]]) -> str:
        """One of several, by weight."""
        weights = [weight for weight, _ in choices]
        return self.chance.choices([make for _, make in choices], weights)[0]()

    def query(self, depth: int, around: Names) -> tuple[str, Names]:
        if depth > 0 and self.chance.random() < 0.12:
            left, columns = self.query(depth - 1, around)
            right, _ = self.select(depth - 1, around, [kind for _, kind in columns])
            word = self.chance.choice(["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL", "MINUS"])
            return f"({left}) {word} {right}", columns
        kinds = [self.chance.choice([NUMBER, NUMBER, TEXT, FLAG, DAY, TIME, LIST]) for _ in range(3)]
        return self.select(depth, around, kinds[: self.chance.randint(1, 3)])

    def select(self, depth: int, around: Names, kinds: list[str]) -> tuple[str, Names]:
        sql, names = self.sources(depth)
        inside = names + self.sample(around, 2)
        grouped = self.chance.random() < 0.35
        keys = self.sample(names, self.chance.choice([0, 1, 1, 2])) if grouped else []
        shown: Names = []
        items = []
        for kind in kinds:
            item = self.item(kind, depth, inside, grouped, keys)
            name = self.alias("x")
            items.append(f"{item} AS {name}" if self.chance.random() < 0.95 else item)
            shown.append((name, kind))
        text = f"SELECT {self.chance.choice(['', '', '', 'DISTINCT '])}{', '.join(items)} FROM {sql}"
        if self.chance.random() < 0.45:
            text += f" WHERE {self.value(FLAG, depth, inside)}"
        if keys:
            text += f" GROUP BY {self.groups([key for key, _ in keys])}"
        if grouped and self.chance.random() < 0.3:
            text += f" HAVING {self.aggregate(FLAG, depth, inside)}"
        if self.chance.random() < 0.06:
            text += f" QUALIFY {self.window(depth, inside)} <= 2"
        return text + self.order([name for name, _ in shown]), shown

    def order(self, names: list[str]) -> str:
        if self.chance.random() > 0.12:
            return ""
        by = self.chance.choice([", ".join(names), "1", "ALL", f"{names[0]} DESC NULLS LAST"])
        return f" ORDER BY {by}{self.chance.choice(['', ' LIMIT 2', ' LIMIT 1 OFFSET 1', ' LIMIT 0'])}"

    def groups(self, keys: list[str]) -> str:
        listed = ", ".join(keys)
        forms = [listed] * 6 + [
            f"ROLLUP ({listed})",
            f"CUBE ({listed})",
            f"GROUPING SETS (({listed}), ())",
            "ALL",
            "1",
        ]
        return self.chance.choice([*forms, f"{listed} WITH ROLLUP"])

    def item(self, kind: str, depth: int, names: Names, grouped: bool, keys: Names) -> str:
        if grouped:
            own = [key for key, of in keys if of == kind]
            return (
                self.chance.choice(own)
                if own and self.chance.random() < 0.6
                else self.aggregate(kind, depth, names)
            )
        if kind == NUMBER and self.chance.random() < 0.15:
            return self.window(depth, names)
        if self.chance.random() < 0.03:
            return f"explode({self.value(LIST, depth, names)})"
        return self.value(kind, depth, names)

    def value(self, kind: str, depth: int, names: Names) -> str:
        """An expression; now and then of another type than was asked for."""
        if self.chance.random() < 0.01:
            kind = self.chance.choice(list(LITERALS))
        own = [name for name, of in names if of == kind]
        return self.of(
            (6 if own else 0, lambda: self.chance.choice(own)),
            (1 if own else 3, lambda: self.chance.choice(LITERALS[kind])),
            (3 if depth > 0 else 0, lambda: self.filled(self.chance.choice(CALLS[kind]), depth - 1, names)),
            (1 if depth > 0 else 0, lambda: self.subquery(kind, depth - 1, names)),
        )

    def filled(self, form: str, depth: int, names: Names) -> str:
        return "".join(
            self.value(_LETTERS[letter], depth, names) if self.stands(form, at) else letter
            for at, letter in enumerate(form)
        )

    def stands(self, form: str, at: int) -> bool:
        """Is this letter a place for an argument, and not a part of a word?"""
        around = (form[at - 1 : at] if at else "") + form[at + 1 : at + 2]
        return form[at] in _LETTERS and not any(letter.isalpha() for letter in around)

    def subquery(self, kind: str, depth: int, names: Names) -> str:
        if kind != FLAG or self.chance.random() < 0.3:
            sql, shown = self.select(depth, names, [kind])
            return (
                f"(SELECT max({shown[0][0]}) FROM ({sql}) AS {self.alias('m')})"
                if self.chance.random() < 0.3
                else f"({sql})"
            )
        negated = self.chance.choice(["", "NOT "])
        if self.chance.random() < 0.5:
            return f"{negated}EXISTS ({self.query(depth, names)[0]})"
        of = self.chance.choice([NUMBER, TEXT])
        return f"{self.value(of, 0, names)} {negated}IN ({self.select(depth, names, [of])[0]})"

    def aggregate(self, kind: str, depth: int, names: Names) -> str:
        return self.filled(self.chance.choice(AGGREGATES[kind]), min(depth, 1) - 1, names)

    def window(self, depth: int, names: Names) -> str:
        call = self.filled(self.chance.choice(WINDOWS), min(depth, 1) - 1, names)
        by = f"PARTITION BY {self.value(self.chance.choice([NUMBER, TEXT]), 0, names)} "
        order = f"ORDER BY {self.value(self.chance.choice([NUMBER, NUMBER, DAY]), 0, names)}"
        return f"{call} OVER ({self.chance.choice(['', by])}{self.chance.choice(['', order, order])}{self.chance.choice(FRAMES)})"

    def source(self, depth: int) -> tuple[str, Names]:
        alias = self.alias("t")
        if depth > 0 and self.chance.random() < 0.2:
            sql, columns = self.query(depth - 1, [])
            return f"({sql}) AS {alias}", [(f"{alias}.{name}", kind) for name, kind in columns]
        if self.ctes and self.chance.random() < 0.4:
            name, held = self.chance.choice(self.ctes)
            return f"{name} AS {alias}", [(f"{alias}.{column}", kind) for column, kind in held]
        if self.chance.random() < 0.05:
            return f"(VALUES (1, 'a'), (2, NULL)) AS {alias}(n, s)", [
                (f"{alias}.n", NUMBER),
                (f"{alias}.s", TEXT),
            ]
        name = self.chance.choice(list(COLUMNS))
        return f"{name} {alias}", [(f"{alias}.{column}", kind) for column, kind in COLUMNS[name].items()]

    def sources(self, depth: int) -> tuple[str, Names]:
        sql, names = self.source(depth)
        for _ in range(self.chance.choice([0, 0, 0, 1, 1, 2])):
            more, other = self.source(depth - 1)
            word = self.chance.choice(
                [
                    "JOIN",
                    "JOIN",
                    "LEFT JOIN",
                    "FULL JOIN",
                    "RIGHT JOIN",
                    "LEFT ANTI JOIN",
                    ",",
                    "NATURAL JOIN",
                ]
            )
            if word == ",":
                sql, names = f"{sql}, {more}", names + other
            elif word == "NATURAL JOIN":
                sql, names = f"{sql} {word} {more}", names + other
            else:
                sql = f"{sql} {word} {more} ON {self.link(names, other)}{self.more(depth, names + other)}"
                names = names if "ANTI" in word else names + other
        return self.made(sql, names, depth)

    def more(self, depth: int, names: Names) -> str:
        return f" AND {self.value(FLAG, depth - 1, names)}" if self.chance.random() < 0.3 else ""

    def link(self, left: Names, right: Names) -> str:
        pairs = [(a, b) for a, kind in left for b, other in right if kind == other]
        return "{} = {}".format(*self.chance.choice(pairs)) if pairs else "1 = 1"

    def made(self, sql: str, names: Names, depth: int) -> tuple[str, Names]:
        """With rows made of each row, now and then."""
        alias, choice = self.alias("g"), self.chance.random()
        if choice < 0.04:
            made = f" LATERAL VIEW explode({self.value(LIST, 1, names)}) {alias} AS e"
            return sql + made, [*names, (f"{alias}.e", TEXT)]
        if choice < 0.08:
            inner, shown = (
                self.query(depth - 1, names) if depth > 0 else ("SELECT 1 AS one", [("one", NUMBER)])
            )
            join = self.chance.choice([", LATERAL", " LEFT JOIN LATERAL", " CROSS JOIN LATERAL"])
            on = " ON TRUE" if "LEFT" in join else ""
            return f"{sql}{join} ({inner}) AS {alias}{on}", names + [
                (f"{alias}.{name}", kind) for name, kind in shown
            ]
        if choice < 0.1:
            made = f", LATERAL explode({self.value(LIST, 1, names)}) AS {alias}(e)"
            return sql + made, [*names, (f"{alias}.e", TEXT)]
        return sql, names

    def sample(self, names: Names, count: int) -> Names:
        return self.chance.sample(names, min(count, len(names)))
