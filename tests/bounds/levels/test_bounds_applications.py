"""Applications as ORMs and people write them: the level that was expected of each query before `check` saw it.

The files stand in applications/: `-- expect:` is what a reader of the paper expects by hand.  A query that comes out
bounded although it is expected unbounded is a false proof, and there may be none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from headwater.bounds.answers.answer import Answer, Level
from headwater.bounds.answers.check import check
from headwater.bounds.reading.sources import read_sql
from headwater.bounds.reading.subjects import Options

FOLDER = Path(__file__).parent / "applications"
FILES = sorted(FOLDER.glob("*.sql"))
_EXPECTED = re.compile(r"^-- name: (\w+)\n-- expect: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Comparison:
    name: str
    expected: Level
    answer: Answer

    @property
    def agrees(self) -> bool:
        return self.answer.level is self.expected

    def __str__(self) -> str:
        because = "; ".join(reason.text for reason in self.answer.reasons)
        return f"{self.name}: expected {self.expected.value}, got {self.answer.level.value} {because}"


@cache
def comparisons(path: Path) -> list[Comparison]:
    text = path.read_text()
    dialect = re.match(r"-- dialect: (\w+)", text)
    answers = check(read_sql(text, path.name, dialect[1] if dialect else ""), Options(), advice=False)
    expected = {name: Level(level.strip()) for name, level in _EXPECTED.findall(text)}
    named = {answer.name: answer for answer in answers}
    return [Comparison(name, level, named[name]) for name, level in expected.items()]


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_proof_is_false(path: Path) -> None:
    """Bounded only where bounded was expected, and never by a cheaper kind of execution than expected."""
    wrong = [
        str(comparison)
        for comparison in comparisons(path)
        if comparison.answer.level.rank < comparison.expected.rank
    ]
    assert not wrong, "\n".join(wrong)


def test_nine_in_ten_are_at_the_expected_level() -> None:
    every = [comparison for path in FILES for comparison in comparisons(path)]
    missed = [str(comparison) for comparison in every if not comparison.agrees]
    assert len(every) >= 3431
    assert len(missed) <= len(every) / 10, "\n".join(missed)
