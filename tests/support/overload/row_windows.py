"""Windows of rows, by hand: rows come one by one, in the order of their times.

Each looks, if it may, for partners among the last n rows of every other input that have come so far.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from headwater.algebra.oracle.evaluate import Database
from headwater.algebra.plans.nodes import Version
from headwater.algebra.stages.adapting import seen
from headwater.algebra.stages.stage import Kept, Probing, Stage
from support.overload.window_joins import Row, Rows


@dataclass(frozen=True)
class RowsJoin:
    """A join of tables on equal k: their names in FROM, the window, and which pairs have n apart."""

    kept: Kept
    tables: tuple[str, ...]
    rows: int
    apart: bool

    def matches(self, result: tuple[Row, ...]) -> bool:
        keys = {row[1] for row in result}
        return len(keys) == 1 and None not in keys and (not self.apart or result[0][2] != result[1][2])


def probing_of(stage: Stage) -> Probing:
    assert stage.probing is not None
    return stage.probing


@dataclass
class OneByOne:
    """Rows that came, in order; what each saw; and the results that were found when they came."""

    join: RowsJoin
    came: list[list[Row]] = field(default_factory=list)  # of each input, all that ever came, in order
    held: list[dict[Row, dict[str, object]]] = field(default_factory=list)  # what is stored, with its marks
    shown: set[tuple[Row, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.came = [[] for _ in self.join.tables]
        self.held = [{} for _ in self.join.tables]

    def push(self, rows: Rows, at: datetime, allowances: list[int | None]) -> None:
        new: list[tuple[datetime, int, int, Row]] = []
        for place, (stage, table) in enumerate(zip(self.join.kept.stages, self.join.tables, strict=False)):
            probing, now = probing_of(stage), set(rows[table])
            held = self.held[place]
            new += [
                (row[3], place, row[0], row)
                for row in now - held.keys()
                if row[3] is not None and row[3] >= at - probing.tolerance
            ]
            self.held[place] = {
                row: marks
                for row, marks in held.items()
                if row in now and row[3] is not None and row[3] >= at - probing.keep
            }
        self.shown = {
            result
            for result in self.shown
            if all(row in held for row, held in zip(result, self.held, strict=True))
        }
        probing_rows = {
            place: {
                row
                for _, _, _, row in sorted(
                    (event for event in new if event[1] == place),
                    key=lambda event: (event[0], event[2]),
                )[: allowances[place]]
            }
            for place in range(len(self.join.tables))
        }
        before = [dict(held) for held in self.held]
        windows: list[tuple[int, Row, list[list[Row]]]] = []
        for _, place, _, row in sorted(new, key=lambda event: event[:3]):
            self.came[place].append(row)
            marks: dict[str, object] = {"_pushed": at, "_probed": row in probing_rows[place]}
            marks["_number"] = len(self.came[place])
            marks |= {seen(other): len(self.came[other]) for other in range(len(self.came)) if other != place}
            self.held[place][row] = marks
            windows.append((place, row, [list(came[-self.join.rows :]) for came in self.came]))
        for place, row, window in windows:
            self._find(place, row, window, at, before)

    def _find(
        self,
        place: int,
        row: Row,
        window: list[list[Row]],
        at: datetime,
        before: list[dict[Row, dict[str, object]]],
    ) -> None:
        """Results whose last row, among those that came one by one, is this one."""

        def extend(chosen: tuple[Row, ...]) -> None:
            index = len(chosen)
            if index == len(window):
                self._show(chosen, at, before)
                return
            for other in [row] if index == place else window[index]:
                if other in self.held[index]:
                    extend((*chosen, other))

        extend(())

    def _show(
        self, result: tuple[Row, ...], at: datetime, before: list[dict[Row, dict[str, object]]]
    ) -> None:
        """If it is a match, fresh, and the input that stands last among the rows of this push probed."""
        last = max(index for index, row in enumerate(result) if row not in before[index])
        fresh = all(
            row[3] is not None and row[3] >= at - probing_of(stage).tolerance
            for row, stage in zip(result, self.join.kept.stages, strict=False)
        )
        if self.join.matches(result) and fresh and self.held[last][result[last]]["_probed"]:
            self.shown.add(result)

    def database(self, old: list[dict[Row, dict[str, object]]]) -> Database:
        database: Database = {}
        for place, stage in enumerate(self.join.kept.stages[:-1]):
            marks = [name for name in stage.columns if name.startswith("_")]
            names = ("id", "k", "n", "ts", *marks)
            before, after = (
                {(*row, *(told[name] for name in marks)): 1 for row, told in held.items()}
                for held in (old[place], self.held[place])
            )
            change = {row: after.get(row, 0) - before.get(row, 0) for row in {*before, *after}}
            change = {row: weight for row, weight in change.items() if weight}
            for version, held in ((Version.OLD, before), (Version.NEW, after), (Version.DELTA, change)):
                database[stage.name, version] = (names, held)
        return database
