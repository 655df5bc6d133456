"""What a translation has gathered so far: relations read, obstacles met, names taken.

A view that Spark can run but that has no delta rule is not wrong: the first obstacle does not stop the
translation.  It goes on with a placeholder, so that errors further down are still reported, and the plan is
thrown away at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from sqlglot import exp

from headwater.algebra.stages.stage import Obstacle
from headwater.errors import InputError, Place, did_you_mean
from headwater.model import Column, SqlText
from headwater.sql.parsing.names import spelling, unused_name

__all__ = ["Notes", "span"]


def span(node: exp.Expr) -> tuple[int, int] | None:
    """Where a node stands: from its first word to its last, as far as sqlglot remembers."""
    marks = [part.meta for part in node.walk() if "start" in part.meta]
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
    warnings: list[Obstacle] = field(default_factory=list)  # what is kept, but may surprise
    keys: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)  # declared, of relations
    unsettled: list[InputError] = field(default_factory=list)  # what only a plan gives one answer to

    def place(self, node: exp.Expr) -> Place:
        """A node's place in the user's file; a node that has none stands where its parent does."""
        here: exp.Expr | None = node
        while here is not None:
            marks = span(here)
            if marks is not None:
                start, end = marks
                return self.sql.place(start, end - start)
            here = here.parent
        return self.sql.place(0, len(self.sql.text))

    def fail(self, code: str, node: exp.Expr, message: str, *, detail: str = "", hint: str = "") -> NoReturn:
        raise InputError(code, message, place=self.place(node), detail=detail, hint=hint)

    def unknown(self, code: str, node: exp.Expr, what: str, name: str, choices: Sequence[str]) -> NoReturn:
        """Fail on an unknown name: suggest the nearest one and list what there is."""
        detail = f"There is: {', '.join(choices)}." if choices else "There is none."
        self.fail(code, node, f'{what} "{name}"', detail=detail, hint=did_you_mean(name, choices))

    def obstacle(self, node: exp.Expr, reason: str) -> None:
        """This part has no delta rule: the view is kept by full refresh."""
        obstacle = Obstacle(reason, self.place(node))
        if obstacle not in self.obstacles:
            self.obstacles.append(obstacle)

    def warn(self, node: exp.Expr, reason: str) -> None:
        """This part is kept, but its answer is one of several."""
        warning = Obstacle(reason, self.place(node))
        if warning not in self.warnings:
            self.warnings.append(warning)

    def alias(self, wanted: str) -> str:
        """A name for a relation that no other relation of this view has."""
        name = unused_name(re.sub(r"\W", "_", wanted) or "relation", self.taken)
        self.taken.add(name.lower())
        return name

    def relation(self, name: str) -> str | None:
        """The declared spelling of a relation's name."""
        return spelling(name, self.relations)
