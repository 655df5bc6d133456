"""What an experiment is given, a Bench, and what it returns: Answers with tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headwater.bench.smile.experiments.workshop import Workshop
from headwater.bench.smile.measuring.outcome import Outcome, Setup
from headwater.bench.smile.measuring.run import Load
from headwater.bench.smile.workload.project import Shape
from headwater.bench.smile.workload.schedule import Phase

__all__ = ["Answer", "Bench", "Table"]


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an experiment. `well`: the command exits with status 0."""

    name: str
    tables: Sequence[Table]
    json: Any
    well: bool = True


@dataclass(frozen=True, slots=True)
class Bench:
    """The options of the command, and where to work."""

    workshop: Workshop
    shape: Shape
    seconds: float = 300.0
    warm: float = 60.0
    every: float = 2.0
    sharing: bool = True
    quick: bool = False

    @property
    def out(self) -> Path:
        return self.workshop.out

    def setup(self, **changes: Any) -> Setup:
        """The options, with some of them changed: fields of Shape, or `sharing`."""
        sharing = changes.pop("sharing", self.sharing)
        shape = replace(self.shape, **changes)
        load = Load(
            [Phase(self.seconds, shape.rate)],
            [Phase(self.warm, shape.rate)] if self.warm else [],
            self.every,
            self.workshop.seed,
        )
        return Setup(shape, load, sharing)

    def run(self, name: str, **changes: Any) -> Outcome:
        return self.workshop.run(self.setup(**changes), name)
