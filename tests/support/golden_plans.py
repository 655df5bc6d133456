"""Golden plans: what the files hold, how a case is run, and how `make bless` writes it back.

A file declares tables, then cases: a comment that says why, `apply PASS`, a plan, and `gives` a plan (or
`gives same`).  `apply delta orders, items` asks for the change of the plan when those relations changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from headwater.algebra.delta.derive import delta
from headwater.algebra.oracle.zsets import ZSet, add, consolidate
from headwater.algebra.passes import PASSES, optimize
from headwater.algebra.plans.nodes import Plan, Version
from headwater.algebra.text.show import parse, show
from headwater.bench.laws.random_expressions import value

NAMED = {**{pass_.__name__: pass_ for pass_ in PASSES}, "optimize": optimize}
Columns = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Case:
    path: Path
    line: int
    tables: dict[str, Columns]
    apply: str
    before: str
    after: str  # "same", or the text of a plan

    @property
    def is_delta(self) -> bool:
        return self.apply.startswith("delta ")

    @property
    def changed(self) -> frozenset[str]:
        names = self.apply.removeprefix("delta ").split(",") if self.is_delta else self.tables
        return frozenset(name.strip() for name in names)

    def function(self) -> Callable[[Plan], Plan | None]:
        if self.is_delta:
            return lambda plan: delta(plan, self.changed)
        return NAMED[self.apply]

    def result(self) -> str:
        plan = self.function()(parse(self.before))
        if plan is None:
            return "nothing"
        text = show(plan, types=True)
        return "same" if text == show(parse(self.before), types=True) else text


def read_cases(path: Path) -> list[Case]:
    tables: dict[str, Columns] = {}
    cases: list[Case] = []
    lines = path.read_text().splitlines()
    for at, line in enumerate(lines):
        if line.startswith("table "):
            tables |= dict([_table(line)])
        elif line.startswith("apply "):
            before = list(_block(lines, at + 1))
            gives = at + 1 + len(before)
            assert lines[gives].startswith("gives"), f"{path}:{gives + 1}: expected `gives`"
            word = lines[gives].removeprefix("gives").strip()
            after = word or "\n".join(_block(lines, gives + 1))
            cases.append(
                Case(path, at + 1, dict(tables), line[6:].strip(), "\n".join(before), _dedent(after))
            )
    return cases


def _table(line: str) -> tuple[str, Columns]:
    """table orders(id KEY, customer string, total): a column is an int unless it says otherwise."""
    match = re.fullmatch(r"table (\w+)\((.*)\)", line.strip())
    assert match is not None, line
    columns = []
    for item in re.split(r",\s*(?![^(]*\))", match[2]):
        name, *words = item.replace("KEY", "").split()
        columns.append((name, words[0] if words else "int"))
    return match[1], tuple(columns)


def _block(lines: list[str], start: int) -> Iterator[str]:
    for line in lines[start:]:
        if not line.startswith("  "):
            return
        yield line


def _dedent(text: str) -> str:
    return "\n".join(line.removeprefix("  ") for line in text.splitlines())


def bless(path: Path) -> None:
    """Rewrite what every case of a file gives."""
    lines = path.read_text().splitlines()
    for case in reversed(read_cases(path)):
        gives = next(at for at in range(case.line, len(lines)) if lines[at].startswith("gives"))
        end = gives + 1 + len(list(_block(lines, gives + 1)))
        result = case.result()
        short = result in ("same", "nothing")
        block = [] if short else [f"  {line}" for line in result.splitlines()]
        lines[gives:end] = [f"gives {result}" if short else "gives", *block]
    path.write_text("\n".join(lines) + "\n")


def random_database(case: Case, seed: int) -> dict[tuple[str, Version], tuple[tuple[str, ...], ZSet]]:
    """Rows of every table before, after and between; tables that did not change are the same."""
    random = Random(seed)
    database: dict[tuple[str, Version], tuple[tuple[str, ...], ZSet]] = {}
    for name, columns in case.tables.items():
        names = tuple(column for column, _ in columns)
        old, new = _rows(random, columns), _rows(random, columns)
        new = add(old, new) if name in case.changed and random.random() < 0.8 else old
        change = add(new, {row: -weight for row, weight in old.items()})
        if name in case.changed and random.random() < 0.5:  # the other way round: rows are deleted
            old, new, change = new, old, {row: -weight for row, weight in change.items()}
        for version, rows in ((Version.OLD, old), (Version.NEW, new), (Version.DELTA, change)):
            database[name, version] = (names, rows)
    return database


def _rows(random: Random, columns: Columns) -> ZSet:
    return consolidate(
        (tuple(value(random, kind) for _, kind in columns), 1) for _ in range(random.randint(0, 8))
    )
