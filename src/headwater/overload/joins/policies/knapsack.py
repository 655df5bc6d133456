"""Join adaptation as a knapsack: integer multiples of each path's resources (the paper's Problem 1).

A row of the path productivity table says what one multiple of a path takes and yields.  In integer tuples
and independent cycles the greedy choice can lose: with 30 to spend on (16, 5), (15, 4), (10, 1), greedy
takes 5 + 1 = 6 while two of the second give 8.  Dynamic programming finds the 8 in k * resources steps;
`grepp` drops the restriction to integer tuples, and then greedy is optimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.overload.joins.model.join_plan import Path

__all__ = ["Multiples", "Row", "best_multiples", "greedy_multiples", "productivity_table"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the path productivity table: one multiple of a path."""

    stream: str
    resources: int
    output: float

    @property
    def productivity(self) -> float:
        return self.output / self.resources


@dataclass(frozen=True, slots=True)
class Multiples:
    """How many multiples of each row were taken, and their total yield."""

    multiples: dict[str, int]
    output: float


def productivity_table(paths: Sequence[Path], entering: int) -> tuple[Row, ...]:
    """The table for `entering` tuples at each leaf, rounded to integer tuples."""
    return tuple(
        Row(path.stream, round(entering * path.unit_cost), round(entering * path.cardinalities[-1]))
        for path in paths
    )


def best_multiples(table: Sequence[Row], resources: int) -> Multiples:
    """The best integer multiples, by dynamic programming over the resources."""
    best: list[tuple[float, Row | None]] = [(0.0, None)]
    for budget in range(1, resources + 1):
        carried = (best[budget - 1][0], None)
        taken = [
            (best[budget - row.resources][0] + row.output, row) for row in table if row.resources <= budget
        ]
        best.append(max([carried, *taken], key=lambda option: option[0]))
    return Multiples(_retrace(table, best, resources), best[resources][0])


def _retrace(table: Sequence[Row], best: Sequence[tuple[float, Row | None]], budget: int) -> dict[str, int]:
    multiples = {row.stream: 0 for row in table}
    while budget > 0:
        row = best[budget][1]
        if row is None:
            budget -= 1
        else:
            multiples[row.stream] += 1
            budget -= row.resources
    return multiples


def greedy_multiples(table: Sequence[Row], resources: int) -> Multiples:
    """Repeatedly the most productive path that still fits; not optimal in integer tuples."""
    multiples = {row.stream: 0 for row in table}
    output = 0.0
    for row in sorted(table, key=lambda entry: -entry.productivity):
        taken = resources // row.resources
        multiples[row.stream] = taken
        resources -= taken * row.resources
        output += taken * row.output
    return Multiples(multiples, output)
