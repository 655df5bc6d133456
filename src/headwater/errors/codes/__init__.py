"""The registry of error codes: each code means one thing, with its cause and its remedy.

`headwater errors CODE` and docs/errors.md show what stands here; tests/test_error_codes.py compares it with
the codes that the source raises.  A new error takes a free number and an entry in the file of its part.
"""

from __future__ import annotations

from headwater.errors.codes import (
    bench,
    capture,
    command_line,
    ddl,
    internal,
    joins,
    project,
    queries,
    running,
    serving,
    updates,
    views,
    windows,
)
from headwater.errors.codes.code import Code

__all__ = ["CODES", "PARTS", "REPLACED", "Code"]

PARTS: dict[str, tuple[Code, ...]] = {
    "The command line": command_line.CODES,
    "Statements in SQL files": ddl.CODES,
    "Projects and headwater.yml": project.CODES,
    "The SELECT of a view": views.CODES,
    "Checked queries": queries.CODES,
    "Simulated windows": windows.CODES,
    "Simulated update streams": updates.CODES,
    "Simulated joins": joins.CODES,
    "The warehouse, Spark and the run": running.CODES,
    "Capture": capture.CODES,
    "Serving over HTTP": serving.CODES,
    "Benches": bench.CODES,
    "Inside Headwater": internal.CODES,
}
CODES: dict[str, Code] = {code.code: code for codes in PARTS.values() for code in codes}

# Codes of earlier versions, and what is raised in their place today.  They are never given a new meaning.
REPLACED = {
    "HW300": "HW113",
    "HW326": "HW114",
    "HW400": "HW100",
    "HW406": "HW104",
    "HW408": "HW006",
    "HW513": "HW005",
    "HW636": "HW864",
    "HW723": "HW001",
    "HW724": "HW005",
    "HW725": "HW006",
    "HW881": "HW418",
    "HW882": "HW414",
}
