"""What one translation has found so far: relations read, obstacles met, names taken.

A view that Spark can run but that has no delta rule is not wrong: the first obstacle does not stop the
translation.  It goes on with a placeholder, so that errors further down are still found, and the plan is
thrown away at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from sqlglot import exp

from headwater.algebra.stages import Obstacle
from headwater.errors import InputError, Place, did_you_mean
from headwater.model import Column, SqlText

__all__ = ["Notes", "span"]


def span(node: exp.Expr) -> tuple[int, int] | None:
    """Where a node stands: from its first word to its last, as far as sqlglot remembers."""
    marks = [one.meta for one in node.walk() if "start" in one.meta]
    if not marks:
        return None
    start = min(mark["start"] for mark in marks)
    return start, max(mark["end"] for mark in marks) + 1


@dataclass(slots=True)
class Notes:
    """The one mutable value of a translation."""

    sql: SqlText
    relations: Mapping[str, Sequence[Column]]
    reads: dict[str, None] = field(default_factory=dict)
    obstacles: list[Obstacle] = field(default_factory=list)
    scans: dict[str, Place] = field(default_factory=dict)  # an alias and where it stands in the text
    taken: set[str] = field(default_factory=set)

    def place(self, node: exp.Expr) -> Place:
        """A node's place in the user's file; a node that has none stands where its parent does."""
        here: exp.Expr | None = node
        while here is not None:
            found = span(here)
            if found is not None:
                start, end = found
                return self.sql.place(start, end - start)
            here = here.parent
        return self.sql.place(0, len(self.sql.text))

    def fail(self, code: str, node: exp.Expr, message: str, *, detail: str = "", hint: str = "") -> NoReturn:
        raise InputError(code, message, place=self.place(node), detail=detail, hint=hint)

    def unknown(self, code: str, node: exp.Expr, what: str, name: str, known: Sequence[str]) -> NoReturn:
        """A name that is not there: what it might have been, and what there is."""
        detail = f"There is: {', '.join(known)}." if known else "There is none."
        self.fail(code, node, f'{what} "{name}"', detail=detail, hint=did_you_mean(name, known))

    def obstacle(self, node: exp.Expr, reason: str) -> None:
        """This part has no delta rule: the view is kept by full refresh."""
        found = Obstacle(reason, self.place(node))
        if found not in self.obstacles:
            self.obstacles.append(found)

    def alias(self, wanted: str) -> str:
        """A name for a relation that no other one in this view has."""
        stem = re.sub(r"\W", "_", wanted) or "relation"
        name, number = stem, 1
        while name.lower() in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name.lower())
        return name

    def relation(self, name: str) -> str | None:
        """The declared spelling of a relation's name."""
        return next((one for one in self.relations if one.lower() == name.lower()), None)
