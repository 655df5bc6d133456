"""The same screen again and again: `--watch`."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

from headwater.cli.show.output import console

__all__ = ["again_and_again"]

EVERY = 2.0  # seconds


def again_and_again(show: Callable[[], None]) -> None:
    """Show a screen every few seconds, each on an empty terminal, until Ctrl-C."""
    try:
        while True:
            out = console()
            if out.is_terminal:
                out.clear()
            show()
            sleep(EVERY)
    except KeyboardInterrupt:
        return
