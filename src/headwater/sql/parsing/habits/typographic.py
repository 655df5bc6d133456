"""Characters that word processors, chats and web pages put where SQL has ASCII: quotes that curl.

They look right, so a message about an unknown column “a” helps nobody.  Inside strings, comments and quoted
names they are text as any other.

    SELECT id FROM t WHERE s = ‘a’     HW100: ‘ is a typographic quotation mark.  Hint: type ' instead
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sqlglot.tokenizer_core import Token, TokenType

from headwater.errors import InputError, Place

__all__ = ["refuse_typographic"]

_MEANT = {
    **dict.fromkeys("“”„‟«»＂‘’‚‛＇´", ("a typographic quotation mark", "'")),
    **dict.fromkeys("–—−－", ("a dash", "-")),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ("an invisible character", "")),
    **{wide: ("a wide character", chr(ord(wide) - 0xFEE0)) for wide in "；，（）＝＜＞＊．：＋／％"},
}
_ODD = re.compile(f"[{re.escape(''.join(_MEANT))}]")
_TEXTS = {
    TokenType.STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING,
    TokenType.UNICODE_STRING, TokenType.BYTE_STRING, TokenType.IDENTIFIER,
}  # fmt: skip


def refuse_typographic(text: str, tokens: Iterable[Token], place: Callable[[int, int], Place]) -> None:
    """Raise an InputError at the first such character outside of texts; `place` is of (start, end)."""
    if _ODD.search(text) is None:
        return
    for token in tokens:
        odd = None if token.token_type in _TEXTS else _ODD.search(text, token.start, token.end + 1)
        if odd is not None:
            what, instead = _MEANT[odd[0]]
            shown = odd[0] if instead else f"U+{ord(odd[0]):04X}"
            hint = f"type {instead} instead" if instead else "delete it and type what is beside it anew"
            message = f"{shown} is {what}, which SQL does not know"
            raise InputError("HW100", message, place=place(odd.start(), odd.end()), hint=hint)
