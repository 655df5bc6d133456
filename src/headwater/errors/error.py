"""The kinds of errors.  The exit status belongs to the kind:

HeadwaterError
  InputError      wrong input: a misspelt column, a broken file          exit 2
  RefusedError    the answer is no: a promise that cannot be kept        exit 1
  InternalError   our own bug; names the part that failed                exit 70

Whatever quotes a secret (a line of SQL, an address, another library's message) is redacted when the error is
made, so that nobody who shows, logs or stores it has to think of that.
"""

from __future__ import annotations

import re
import traceback

from headwater.errors.place import Place
from headwater.errors.redaction import redact

__all__ = ["HeadwaterError", "InputError", "InternalError", "RefusedError", "brief", "first_line", "trace"]


class HeadwaterError(Exception):
    """An error with fields: `code` is stable, `message` is one line, the rest may be empty."""

    exit_status = 2

    def __init__(
        self, code: str, message: str, *, place: Place | None = None, detail: str = "", hint: str = ""
    ) -> None:
        secrets = () if place is None else place.secrets
        self.code = code
        self.message = redact(message, secrets)
        self.place = place
        self.detail = redact(detail, secrets)
        self.hint = redact(hint, secrets)
        super().__init__(self.message)

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.place is not None:
            lines.append(f"  at {self.place}")
            if self.place.text:
                lines.append(self.place.excerpt())
        if self.detail:
            lines.append(f"Detail: {self.detail}")
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines)

    def fields(self) -> dict[str, object]:
        """The error as `--json` shows it."""
        place = self.place
        where = None if place is None else {"path": place.path, "line": place.line, "column": place.column}
        return {
            "code": self.code,
            "message": self.message,
            "place": where,
            "detail": self.detail,
            "hint": self.hint,
        }


class InputError(HeadwaterError):
    """Wrong input. Nothing has been written."""


class RefusedError(HeadwaterError):
    """The question was understood and the answer is no."""

    exit_status = 1


class InternalError(HeadwaterError):
    """A bug of ours: an invariant that should have held did not."""

    exit_status = 70


def brief(error: BaseException, most: int = 500) -> str:
    """An error in one line, for a table or a log: its type and the first line of what it says."""
    text = error.message if isinstance(error, HeadwaterError) else str(error)
    return redact(f"{type(error).__name__}: {first_line(text)}")[:most]


def trace(error: BaseException, most: int = 12_000) -> str:
    """An error with its traceback and those that caused it; of a long one the beginning and the end."""
    text = redact("".join(traceback.format_exception(error)).strip())
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\n    ...\n{text[-most // 2 :]}"


def first_line(text: str) -> str:
    """The line of an error that tells most: of the JVM, its own line without Python's."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    of_jvm = (line.lstrip(": ") for line in lines if re.match(r": \w+\.[\w.]+", line))
    return next(of_jvm, lines[0] if lines else "")
