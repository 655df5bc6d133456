"""`weave:` in headwater.yml: by which optimizer aggregates share partial results, or `off`."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.model import Weaving
from headwater.project.yaml_file import Value

__all__ = ["one_of", "read_weaving"]

OBJECTIVES = ("total", "balanced")
FLAGS = ("false", "true")


def read_weaving(value: Value) -> Weaving:
    """A mapping, or the optimizer alone."""
    if value.is_single:
        return Weaving(value.scalar().lower())
    given = value.fields(("optimizer", "objective", "always"))
    optimizer = given["optimizer"].scalar().lower() if "optimizer" in given else "best"
    return Weaving(
        optimizer, one_of(given, "objective", OBJECTIVES), one_of(given, "always", FLAGS) == "true"
    )


def one_of(given: Mapping[str, Value], name: str, words: tuple[str, ...]) -> str:
    """One of some words; the first if none is given."""
    return given[name].word(words) if name in given else words[0]
