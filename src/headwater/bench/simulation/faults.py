"""What is wrong just now, and whose fault a failure is."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.catalog import Catalog

__all__ = ["Faults", "SimulatedError"]


class SimulatedError(Exception):
    """Something that failed on purpose; `culprit` is a stage or a site."""

    def __init__(self, culprit: str, what: str) -> None:
        super().__init__(f"{culprit}: {what}")
        self.culprit = culprit


@dataclass(slots=True)
class Faults:
    failing: set[str] = field(default_factory=set)  # stages whose pushes fail
    poisoned: set[str] = field(default_factory=set)  # stages that a row makes fail
    broken: set[str] = field(default_factory=set)  # stages whose logs cannot be read
    silent: set[str] = field(default_factory=set)  # sites
    unpublished: set[str] = field(default_factory=set)  # views whose plain tables cannot be written
    slow: float = 1.0  # pushes take so many times as long as foreseen

    def of_stage(self, catalog: Catalog, stage: str) -> SimulatedError | None:
        if stage in self.broken:
            return SimulatedError(stage, "its log is truncated")
        if stage in self.failing:
            return SimulatedError(stage, "its push fails")
        if stage in self.poisoned:
            return SimulatedError(stage, "a row makes it fail")
        if (site := catalog.site_of(stage)) in self.silent:
            return SimulatedError(site, "does not answer")
        return None

    def concern(self, catalog: Catalog, view: str) -> bool:
        """Whether anything is wrong with a view, or with what it reads."""
        if not (self.broken or self.failing or self.poisoned or self.silent):
            return False
        stages = (stage.name for level in catalog.levels([view]) for _, stage in level)
        return any(self.of_stage(catalog, stage) is not None for stage in stages)
