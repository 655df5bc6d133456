"""Names that differ, also when case is ignored."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Names"]


@dataclass(slots=True)
class Names:
    """Makes names unique by appending a number where a name is taken."""

    used: set[str] = field(default_factory=set)

    def fresh(self, wanted: str) -> str:
        name, number = wanted, 2
        while name.lower() in self.used:
            name, number = f"{wanted}_{number}", number + 1
        self.used.add(name.lower())
        return name
