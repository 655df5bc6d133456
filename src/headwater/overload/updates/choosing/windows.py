"""Which windows of a key are shown first, whole: those of a table with WINDOWS LAZY or EAGER.

A window of a key takes the place of a key: (symbol, 10:05) waits, is chosen and is shown with all its rows.
Of each key the newest window that may be shown comes first, in the order of the policy; all older ones come
after those of every key.  So under overload older windows are skipped; what is skipped waits until there is
time for it, or until the table does not RETAIN it any more.  A window that was shown and then grew too old,
so that rows only go, is not put off: else what is shown would grow as long as the overload lasts.

    lazy    a window may be shown once it is closed: a row of a later window has come, of whichever key
    eager   any window may be shown, and the newest is the one that has started last

Time is that of the rows, as in the report; a row that comes late makes its window wait again.  No window has
holes: whatever is shown of it is what there was of it at some time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from headwater.model import WholeWindows

__all__ = ["in_front"]

Window = tuple[Hashable, ...]  # a key, and the start of one of its windows at the end


def in_front(windows: Iterable[Window], semantics: WholeWindows) -> dict[Window, bool]:
    """Of all windows that are known those that may be shown, each with whether it is its key's newest."""
    known = list(windows)
    starts: list[Any] = [window[-1] for window in known if window[-1] is not None]
    may = [
        window
        for window in known
        if semantics is WholeWindows.EAGER or window[-1] is None or window[-1] < max(starts)
    ]
    newest: dict[Window, Any] = {}
    for *key, start in may:
        before = newest.get(tuple(key))
        newest[tuple(key)] = start if before is None or (start is not None and start > before) else before
    return {window: window[-1] == newest[window[:-1]] for window in may}
