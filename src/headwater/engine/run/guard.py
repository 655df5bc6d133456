"""Something that may fail without ending the run: it is logged, shown, and done again when it is due
again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from headwater.errors import brief

__all__ = ["Guard"]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Guard:
    """Written by one thread; others may read `errors`."""

    errors: dict[str, str] = field(default_factory=dict)

    def do(self, name: str, work: Callable[[], object]) -> bool:
        """Do something; whether it was done. A failure that repeats itself is logged once."""
        try:
            work()
        except Exception as error:
            text = brief(error)
            if self.errors.get(name) != text:
                logger.exception("%s failed", name)
            self.errors[name] = text
            return False
        self.errors.pop(name, None)
        return True
