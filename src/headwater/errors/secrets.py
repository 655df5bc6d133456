"""What counts as a secret in a text, and where it stands.

    postgresql://app:SECRET@db/shop?sslpassword=SECRET     the password of an address, misspelt or not
    host=db user=app password='SECRET'                     a parameter with a telling name, as in libpq
    OPTIONS (password 'SECRET', 'secret.key' = "SECRET")   the same as SQL writes it
    spark.hadoop.fs.s3a.secret.key: SECRET                 the same as YAML and JSON write it

A text may be wrong (that is why it is shown), so rules are generous: rather hide too much of a line than a
part too little.  What only refers to a secret is shown: `${NAME}`, and the path in `password_file`.
Comparisons such as `token = 7` and `a.token = b.token` are left as they are: columns have such names too.

Pure, and linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

__all__ = ["names_secret", "secret_of_file", "secret_spans", "source_spans"]

Span = tuple[int, int]

# Names that are misspelt still count: pasword, passwort, pwd.
_STRONG = (
    r"p(?:a?s+w\w*|wd|assphrase|asscode)|secret|credentials?|authorization|private[._-]?key|account[._-]?key"
)
_WEAK = r"token|api[._-]?key"
_NAME = rf"(?:(?P<strong>{_STRONG})|{_WEAK})(?:[._-][\w.-]*)?"
# One of these stands in every such name: texts without any, which are most, are soon done with.
_STEMS = ("sw", "pwd", "passphrase", "passcode", "secret", "credential", "authorization", "key", "token")
_REFERS = re.compile(r"[._-](?:file|path|location|type|encryption|renewer)$", re.IGNORECASE)

_NAMED = re.compile(rf"{_NAME}(?P<quote>\\?[\"'`])?", re.IGNORECASE)
_EQUALS = re.compile(r"\s*=+>?\s*|:(?=\S)")
_COLON = re.compile(r"[ \t]*:(?:[ \t]+|[ \t]*\n[ \t]+)")
_BLANK = re.compile(r"\s+")

_QUOTED = re.compile(
    r"""\\(?P<a>["'])(?P<s1>.*?)(?:\\(?P=a)|\Z)"""  # \"...\", a quoted value inside a quoted text
    r"""|''(?=[^\s,;)'])(?P<s2>.*?)(?:''|\Z)"""  # ''...'', the same inside an SQL string
    r"""|"(?P<s3>(?:\\.|""|[^"\\])*)(?:"|\Z)|'(?P<s4>(?:\\.|''|[^'\\])*)(?:'|\Z)"""
    r"""|`(?P<s5>[^`]*)(?:`|\Z)""",
    re.DOTALL,
)
# Without quotes: up to a blank, a quote, or the next parameter.
_UNQUOTED = re.compile(r"""(?:\\.|(?![;&,]\s*[\w.]+=)[^\s"'`\\])+""")
_BLOCK = re.compile(r"[|>][-+\d]*[ \t]*(?:\n(?:[ \t]+[^\n]*|[ \t]*(?=\n)))+|[^\n]+")
_FLOW = re.compile(r"(?:,(?=\S)|[^\n,}\]])+")
_NUMBER = re.compile(r"[\d.]+[;,)]*")
_COLUMN = re.compile(r"[A-Za-z_]\w*\.(?P<name>\w+)[;,)]*")

_OPTIONS = re.compile(r"\bOPTIONS\s*\([^;]*", re.IGNORECASE)
_BARE_WORD = re.compile(r"""\s+(?P<word>[^\s"'`,()=]+)""")

# //user:, or user: at the beginning of a word: what follows may be a password.
_USER = re.compile(r"""(?:(?P<slashes>/{1,3})|(?<![^\s'"`=(,:]))(?P<user>[^\s:/'"`\[\]=,(){}<>]*):(?=\S)""")
_SCHEME = re.compile(r"(?:[\w+.-]+:)?/")  # after a colon: it is that of postgres:// or of jdbc:postgresql://
_WORD_END = re.compile(r"""[\s'"`]""")
_OPENING = re.compile(r"""["'`](?=[\w+.:-]*\Z)""")
_STRING_REST = {
    "'": re.compile(r"(?:\\.|''|[^'\\])*", re.DOTALL),
    '"': re.compile(r'(?:\\.|""|[^"\\])*', re.DOTALL),
    "`": re.compile(r"[^`]*"),
}
_PORT = re.compile(r"\d*(?:[,;/?#]|\Z)|port\b", re.IGNORECASE)
_HOST_END = re.compile(r"[/?#;]|\Z")

_INSIDE = ("s1", "s2", "s3", "s4", "s5")

_REFERENCE = re.compile(r"(?:\$\{\w+\})+|\*{3}|password", re.IGNORECASE)


def names_secret(name: str) -> bool:
    """Whether a parameter of this name holds a secret: sslpassword, fs.s3a.secret.key; not password_file."""
    return _NAMED.search(name) is not None and _REFERS.search(name) is None


def secret_of_file(name: str) -> str | None:
    """The parameter whose secret a file holds: password_file -> password, uri_file -> uri; else None."""
    base = name[: -len("_file")]
    holds = name.lower().endswith("_file") and (base.lower() == "uri" or names_secret(base))
    return base if holds else None


def secret_spans(text: str) -> tuple[Span, ...]:
    """Where secrets stand in a message or a line of a log, in order, apart from each other."""
    return _merged(span for span in (*_in_addresses(text), *_named(text)) if _is_secret(text, span))


@lru_cache(maxsize=64)
def source_spans(source: str) -> tuple[Span, ...]:
    """Where secrets stand in a user's file, whose options may lack their quotes: `OPTIONS (password abc)`."""
    spans = (*secret_spans(source), *_bare_options(source))
    return _merged(span for span in spans if _is_secret(source, span))


def _is_secret(text: str, span: Span) -> bool:
    return span[0] < span[1] and _REFERENCE.fullmatch(text, *span) is None


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)


def _in_addresses(text: str) -> Iterator[Span]:
    """The passwords of addresses.  A password may hold any character, so it reaches to the last @."""
    limit, at, slashes = 0, -1, ""  # where the word or string last looked through ends, and its last @
    for user in _USER.finditer(text):
        start = user.end()
        if not user["slashes"] and _SCHEME.match(text, start):
            continue
        if start >= limit or (user["slashes"] and not slashes):
            slashes = user["slashes"]
            limit = max(_end_of_word(text, start), _end_of_string(text, user) if slashes else 0)
            at = text.rfind("@", start, limit)
        if at >= start:
            yield start, at
        elif user["slashes"] and text[user.start() - 1 : user.start()] == ":":
            yield _instead_of_port(text, start, limit)


def _end_of_word(text: str, start: int) -> int:
    end = _WORD_END.search(text, start)
    return len(text) if end is None else end.start()


def _instead_of_port(text: str, start: int, limit: int) -> Span:
    """postgres://app:secret, without a host: what stands where only a port may."""
    if _PORT.match(text, start, limit):
        return 0, 0
    end = _HOST_END.search(text, start, limit)
    return start, limit if end is None else end.start()


def _end_of_string(text: str, user: re.Match[str]) -> int:
    """Where the string ends that an address begins, or its line if it is not closed; 0 if there is none."""
    start = user.start()
    nearby = max(0, start - 40)
    opening = _OPENING.search(text[nearby:start])
    if opening is None:
        return 0
    rest = _STRING_REST[opening[0]].match(text, nearby + opening.end())
    assert rest is not None
    if rest.end() < len(text):
        return rest.end()
    line_end = text.find("\n", start)
    return len(text) if line_end < 0 else line_end


def _named(text: str) -> Iterator[Span]:
    """The values of parameters whose names tell."""
    lowered = text.lower()
    if not any(stem in lowered for stem in _STEMS):
        return
    for name in _NAMED.finditer(text):
        if _REFERS.search(name[0].rstrip("\"'`\\")):
            continue
        end = name.end()
        if colon := _COLON.match(text, end):
            yield _quoted(text, colon.end()) or _yaml(text, name.start(), colon.end())
        elif equals := _EQUALS.match(text, end):
            yield _quoted(text, equals.end()) or _unquoted(text, equals, weak=name["strong"] is None)
        elif blank := _BLANK.match(text, end):
            yield _quoted(text, blank.end()) or (0, 0)


def _quoted(text: str, start: int) -> Span | None:
    """What stands between the quotes that begin at `start`; to the end of the text if they are not closed."""
    quoted = _QUOTED.match(text, start)
    if quoted is None:
        return None
    return next(quoted.span(group) for group in _INSIDE if quoted[group] is not None)


def _yaml(text: str, name: int, start: int) -> Span:
    """A plain value: the rest of the line (and a block below it), or up to the next entry of {a: b, c: d}."""
    before = text[text.rfind("\n", 0, name) + 1 : name]
    value = (_FLOW if re.search(r"[{\[(,]", before) else _BLOCK).match(text, start)
    return (0, 0) if value is None else value.span()


def _unquoted(text: str, equals: re.Match[str], weak: bool) -> Span:
    value = _UNQUOTED.match(text, equals.end())
    if value is None or (equals[0].endswith(" ") and _is_compared(value[0], weak)):
        return 0, 0
    return value.span()


def _is_compared(value: str, weak: bool) -> bool:
    """Whether `name = value` compares a column: with a number, or with a column of another table."""
    column = _COLUMN.fullmatch(value)
    if weak:
        return column is not None or _NUMBER.fullmatch(value) is not None
    return column is not None and names_secret(column["name"])


def _bare_options(source: str) -> Iterator[Span]:
    """OPTIONS (password abc): an option whose value lacks its quotes."""
    for options in _OPTIONS.finditer(source):
        for name in _NAMED.finditer(source, *options.span()):
            value = _BARE_WORD.match(source, name.end())
            if value is not None and not _REFERS.search(name[0]):
                yield value.span("word")
