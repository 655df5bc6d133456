"""Shows a run while it goes on: a live table in a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from headwater.cli.show.output import progress_console
from headwater.cli.show.tables import Column, fit, render
from headwater.clock import moment_text
from headwater.units import SECOND, counted, names_text, percent_text, seconds_text

if TYPE_CHECKING:
    from headwater.api import Headwater
    from headwater.engine.run.auditor import Snapshot
    from headwater.engine.run.progress import Progress

__all__ = ["INTENDED", "Watch", "progress_line", "progress_table"]

LINE_EVERY = 5 * SECOND
AROUND_ROWS = 6  # lines of a screen: heading, frame, names of the columns, the cursor's
INTENDED = (
    "Views are pushed as late as their freshness allows: staleness rises towards it, and that is intended."
)


class Watch:
    """Shows the progress of a run; `live` draws a table in place."""

    def __init__(
        self, project: Headwater, live: bool, title: str = "", opening: str = "starting Spark ..."
    ) -> None:
        self.project = project
        self.opening = opening
        self.title = title or project.project.name
        self._console = progress_console()
        self._live = Live(console=self._console, auto_refresh=False) if live else None
        self._printed_at = 0
        self._notes_shown = 0

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
        for note in progress.notes[self._notes_shown :]:
            self._console.print(f"The project's files changed: {note}.", style="yellow")
        self._notes_shown = len(progress.notes)
        if self._live is not None:
            table = progress_table(self.title, progress, *self._console.size)
            self._live.update(table, refresh=True)
        elif progress.at - self._printed_at >= LINE_EVERY:
            self._printed_at = progress.at
            self._console.print(progress_line(progress))


COLUMNS = (
    Column("view"), Column("freshness", True), Column("staleness", True), Column("rows", True, 2),
    Column("pushes", True, 3), Column("violations", True, 1, unless_zero=True), Column("", rank=4),
)  # fmt: skip


def progress_table(title: str, progress: Progress, width: int, height: int = 0) -> RenderableType:
    """Every view with its freshness and staleness; of more than a screen holds, the most pressing."""
    captions = list(_captions(progress))
    views = _pressing(progress, height - len(captions) - AROUND_ROWS if height else len(progress.views))
    shares = [_share(view, progress) for view in views]
    rows = [
        (
            view.view,
            seconds_text(view.freshness_s),
            "-" if view.time is None else f"{view.staleness_s:.1f} s",
            f"{view.rows:,}",
            progress.pushes.get(view.view, 0),
            progress.violations.get(view.view, 0),
            progress.errors.get(view.view, "")[:60] or _doing(view, share, progress),
        )
        for view, share in zip(views, shares, strict=True)
    ]
    count = counted(len(progress.views), "view")
    styles = ["red" if share > 1 else "yellow" if share > 0.9 else "" for share in shares]
    heading = f"{title}: {count}, {moment_text(progress.at)}"
    if len(views) < len(progress.views):
        heading += f"; the {len(views)} that are nearest to their freshness"
    return Group(Text(heading), render(fit(COLUMNS, rows, width), styles), *captions)


def _pressing(progress: Progress, most: int) -> Sequence[Snapshot]:
    """At most so many views, in their order: those that fail or use most of their freshness stay."""
    if len(progress.views) <= most:
        return progress.views
    first = sorted(
        progress.views, key=lambda view: (view.view not in progress.errors, -_share(view, progress))
    )
    shown = {view.view for view in first[: max(most, 1)]}
    return [view for view in progress.views if view.view in shown]


def _captions(progress: Progress) -> Iterator[Text]:
    fed = ", ".join(f"{name} {count:,}" for name, count in progress.captured.items() if count)
    if fed:
        yield Text(f"captured: {fed}", no_wrap=True, overflow="ellipsis")
    for rejected in progress.rejected.values():
        yield Text(f"rejected: {rejected}")
    for name, text in progress.errors.items():
        yield Text(f"{name}: {text}")
    if progress.promised and not any(view.violated for view in progress.views):
        yield Text(INTENDED, style="dim")


def _doing(view: Snapshot, share: float, progress: Progress) -> str:
    if view.view in progress.pushing:
        return "computing"
    return "catching up" if _behind(view, progress) else _bar(share)


def _bar(share: float, width: int = 16) -> str:
    filled = min(width, round(share * width))
    return "█" * filled + "·" * (width - filled)


def _share(view: Snapshot, progress: Progress) -> float:
    """Of the freshness, what is used up: nothing is owed for the time before the run."""
    return view.owed_s / view.freshness_s if progress.promised else 0.0


def _behind(view: Snapshot, progress: Progress) -> bool:
    """Staler than its freshness, because nothing ran before: no promise is broken by that."""
    late = view.violated and progress.promised
    return view.time is not None and not late and (view.staleness_s or 0) > view.freshness_s


def progress_line(progress: Progress) -> str:
    """The same in a line."""
    captured = sum(progress.captured.values())
    late = [view.view for view in progress.views if view.violated and progress.promised]
    behind = [view.view for view in progress.views if _behind(view, progress)]
    ahead = [view.view for view in progress.views if (view.staleness_s or 0) < 0]
    worst = max((_share(view, progress) for view in progress.views), default=0.0)
    rejected = sum(source.rows for source in progress.rejected.values())
    parts = [
        f"captured {captured:,}" if captured else "",
        f"rejected {rejected:,}" if rejected else "",
        f"pushes {sum(progress.pushes.values())}",
        f"staleness at most {percent_text(max(worst, 0.0))} of the freshness" if progress.promised else "",
        f"late: {names_text(late)}" if late else "",
        f"catching up: {names_text(behind)}" if behind else "",
        f"ahead of the clock, which was set back: {names_text(ahead)}" if ahead else "",
        f"computing {names_text(sorted(progress.pushing))}" if progress.pushing else "",
        "; ".join(f"{name}: {text}" for name, text in progress.errors.items()),
    ]
    return f"{moment_text(progress.at)}  {', '.join(part for part in parts if part)}"
