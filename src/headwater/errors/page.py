"""docs/errors.md, written from the registry."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.errors.codes import PARTS, REPLACED, Code

__all__ = ["errors_page"]

_OPENING = """\
# Error codes

Every error has a code, which is stable and means one thing. An error's message says what is wrong, where, and
what to do; this page says what its code means in general. `headwater errors HW204` shows one entry
in the terminal. With `--json` every command prints an error as one JSON object on standard output, with
the fields `code`, `message`, `place` (`path`, `line`, `column`, or null), `detail` and `hint`.

Exit status: 1 if the answer is no (a promise that cannot be kept, a view that is too stale), 2 for wrong
input, 70 for a bug of Headwater's.

This page is generated: `make bless` writes it from `src/headwater/errors/codes/`.
"""


def errors_page() -> str:
    """The page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _OPENING
    for title, codes in PARTS.items():
        yield f"## {title}\n"
        for code in sorted(codes, key=lambda entry: entry.code):
            yield _entry(code)
    yield "## Codes of earlier versions\n"
    yield "| code | is now |\n|---|---|"
    for old, new in sorted(REPLACED.items()):
        yield f"| {old} | [{new}](#{new.lower()}) |"


def _entry(code: Code) -> str:
    return (
        f'### <a id="{code.code.lower()}"></a>{code.code}: {code.title}\n\n'
        f"{code.cause}\n\n**What to do:** {code.remedy}\n"
    )
