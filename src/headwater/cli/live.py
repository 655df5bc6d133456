"""A run as one watches it: a live table in a terminal, a line now and then elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from rich.live import Live
from rich.table import Table
from rich.text import Text

from headwater.cli.output import progress_console
from headwater.clock import instant_text

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.engine.runner import Progress

__all__ = ["Watch", "progress_table"]

LINE_EVERY = 5_000_000


class Watch:
    """Shows the progress of a run; `live` draws a table in place."""

    def __init__(
        self, project: Headwater, live: bool, title: str = "", opening: str = "starting Spark ..."
    ) -> None:
        self.project = project
        self.opening = opening
        self.title = title or f"{project.project.name}: {len(project.catalog.kept)} views"
        self._console = progress_console()
        self._live = Live(console=self._console, auto_refresh=False) if live else None
        self._told = 0
        self._noted = 0

    def __enter__(self) -> Watch:
        self._console.print(f"{self.title}: {self.opening}")
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, progress: Progress) -> None:
        for note in progress.notes[self._noted :]:
            self._console.print(f"The project's files changed: {note}.", style="yellow")
        self._noted = len(progress.notes)
        if self._live is not None:
            self._live.update(progress_table(self.title, progress), refresh=True)
        elif progress.at - self._told >= LINE_EVERY:
            self._told = progress.at
            self._console.print(_line(progress))


def progress_table(title: str, progress: Progress) -> Table:
    """Every view with its promise and what is measured."""
    table = Table(title=f"{title}, {instant_text(progress.at)[:19]}", title_justify="left", expand=False)
    for name in ("view", "promised", "staleness", "rows", "pushes", "violations", ""):
        table.add_column(name, justify="left" if name in ("view", "") else "right")
    for one in progress.views:
        share = (one.staleness_s or 0) / one.freshness_s
        style = "red" if share > 1 else "yellow" if share > 0.9 else "green"
        stale = "-" if one.time is None else f"{one.staleness_s:.1f} s"
        table.add_row(
            one.view,
            f"{one.freshness_s:g} s",
            Text(stale, style=style),
            f"{one.rows:,}",
            str(progress.pushes.get(one.view, 0)),
            str(progress.violations.get(one.view, 0)),
            Text(progress.errors.get(one.view, "")[:60] or _bar(share), style=style),
        )
    fed = ", ".join(f"{name} {count:,}" for name, count in progress.captured.items() if count)
    table.caption = "\n".join(
        [*([f"captured: {fed}"] if fed else []), *(f"{k}: {v}" for k, v in progress.errors.items())]
    )
    table.caption_justify = "left"
    return table


def _bar(share: float, width: int = 20) -> str:
    filled = min(width, round(share * width))
    return "█" * filled + "·" * (width - filled)


def _line(progress: Progress) -> str:
    late = [one.view for one in progress.views if one.violated]
    worst = max(((one.staleness_s or 0) / one.freshness_s for one in progress.views), default=0.0)
    errors = "; ".join(f"{name}: {text}" for name, text in progress.errors.items())
    captured = sum(progress.captured.values())
    return (
        f"{instant_text(progress.at)[:19]}  {f'captured {captured:,}, ' if captured else ''}"
        f"pushes {sum(progress.pushes.values())}, staleness at most"
        f" {worst:.0%} of what is promised{', late: ' + ', '.join(late) if late else ''}"
        f"{', ' + errors if errors else ''}"
    )
