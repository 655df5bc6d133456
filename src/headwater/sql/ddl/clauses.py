"""Clauses and their TBLPROPERTIES: two ways to write the same thing.

    FRESHNESS = INTERVAL '10' SECOND      TBLPROPERTIES ('headwater.freshness' = '10 seconds')

A clause overrides headwater.yml, and so does a property; a clause and a property that disagree are an error,
because no reader could tell which of them the author means.  A `Setting` holds the clause's words, how its
value is read, and (where it differs, as for clauses without a value) how the property's text is read.
Properties with other prefixes ('pipelines...') are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from headwater.errors import InputError, did_you_mean
from headwater.sql.parsing.habits.other_systems import in_clauses
from headwater.sql.parsing.lexer import Kind, Token
from headwater.sql.parsing.words import Words

__all__ = [
    "WHOLE_WINDOWS",
    "Given",
    "Setting",
    "read_comment",
    "read_flag",
    "read_owner",
    "read_owner_property",
    "read_pairs",
    "read_properties",
    "read_site",
    "unknown_clause",
    "whole_windows",
]

PREFIX = "headwater."
WHOLE_WINDOWS = ("LAZY", "EAGER")  # asked for by those who know UpStream
_OWNER = re.compile(r"[^\W_](?:[\w .@/+-]{0,62}[\w.+-])?")


@dataclass(frozen=True, slots=True)
class Setting:
    name: str  # the property is 'headwater.' + name
    clause: tuple[str, ...]  # the words a clause begins with; empty: property only
    read: Callable[[Words], object]
    read_property: Callable[[Words], object] | None = None
    equals: bool = False  # may "=" stand before the value?


@dataclass(slots=True)
class Given:
    """What a statement has set so far, and where."""

    clauses: dict[str, tuple[object, Token]] = field(default_factory=dict)
    properties: dict[str, tuple[object, Token]] = field(default_factory=dict)

    def value(self, name: str) -> object | None:
        setting = self.clauses.get(name) or self.properties.get(name)
        return setting[0] if setting else None

    def token(self, name: str) -> Token | None:
        setting = self.clauses.get(name) or self.properties.get(name)
        return setting[1] if setting else None

    def accept(self, words: Words, settings: Sequence[Setting]) -> bool:
        """Read one clause, if one of the settings' clauses stands next."""
        for setting in settings:
            token = words.peek()
            if setting.clause and words.accept(*setting.clause):
                if setting.name in self.clauses:
                    raise words.wrong("HW103", f"{' '.join(setting.clause)} is given twice", token)
                if setting.equals:
                    words.accept("=")
                value_token = words.peek()
                value = setting.read(words)
                self.clauses[setting.name] = value, token if value_token.kind is Kind.END else value_token
                return True
        return False

    def check_agreement(self, words: Words) -> None:
        for name, (value, token) in self.properties.items():
            if name in self.clauses and self.clauses[name][0] != value:
                raise words.wrong(
                    "HW103",
                    f"the property '{PREFIX}{name}' and the clause disagree",
                    token,
                    hint="keep one of the two, or make them say the same",
                )


def read_properties(words: Words, settings: Sequence[Setting], given: Given) -> None:
    """TBLPROPERTIES ('headwater.x' = '...', ...): read ours; an unknown one of ours is an error."""
    by_name = {PREFIX + setting.name: setting for setting in settings}
    for key, value in read_pairs(words, "property"):
        name = key.text.lower()
        if not name.startswith(PREFIX):
            continue
        if name not in by_name:
            raise words.wrong("HW112", f"there is no property '{key.text}' here", key, choices=by_name)
        setting = by_name[name]
        inner = Words.inside(words.source, value)
        answer = (setting.read_property or setting.read)(inner)
        inner.finish(f"the value of '{key.text}'")
        given.properties[setting.name] = answer, value


def read_pairs(words: Words, what: str) -> list[tuple[Token, Token]]:
    """('key' = 'value', a.b 'value', ...) as in Spark's OPTIONS and TBLPROPERTIES; a key stands once."""
    words.expect("(")
    pairs: list[tuple[Token, Token]] = []
    while True:
        key = _key(words, what)
        if any(key.text.lower() == other.text.lower() for other, _ in pairs):
            raise words.wrong("HW103", f"the {what} '{key.text}' is given twice", key)
        words.accept("=")
        pairs.append((key, _value(words, f"the value of '{key.text}'")))
        if not words.accept(","):
            break
    words.expect(")", after=f"the {what} '{pairs[-1][0].text}'")
    return pairs


def _key(words: Words, what: str) -> Token:
    if words.peek().kind is Kind.STRING:
        return words.next()
    first = last = words.name(f"a name of the {what}")
    parts = [first.text]
    while words.accept("."):
        last = words.name(f"a name of the {what}")
        parts.append(last.text)
    return Token(Kind.STRING, ".".join(parts), first.start, last.end)


def _value(words: Words, what: str) -> Token:
    token = words.peek()
    if token.kind is Kind.NUMBER or token.word in {"TRUE", "FALSE"}:
        words.next()
        return Token(Kind.STRING, token.text.lower(), token.start, token.end)
    return words.string(what)


def read_flag(words: Words) -> bool:
    """'true' or 'false'."""
    if not words.at_any(("TRUE", "FALSE")):
        raise words.wrong("HW111", f"expected 'true' or 'false', found {words.peek()}")
    return words.next().word == "TRUE"


def read_site(words: Words) -> str:
    return words.name("a site's name").text


def read_owner(words: Words) -> str:
    """OWNER = 'team-a', or a plain name."""
    token = words.peek()
    return _owner(words, (words.next() if token.kind is Kind.STRING else words.name("an owner")).text, token)


def read_owner_property(words: Words) -> str:
    """The property's whole text: a name such as team-a is more than one word."""
    token = words.peek()
    written = words.source.text[token.start : token.end]
    while not words.done:
        words.next()
    return _owner(words, written[1:-1] if written[:1] in ("'", '"') else written, token)


def _owner(words: Words, name: str, token: Token) -> str:
    if _OWNER.fullmatch(name) is None:
        raise words.wrong(
            "HW111",
            f"'{name}' cannot name an owner",
            token,
            hint="use letters, digits, spaces and . _ - @ / +, at most 64 in all",
        )
    return name


def read_comment(words: Words) -> str:
    """COMMENT '...': accepted so that files can be shared with Spark, and not kept."""
    return words.string("a comment").text


def _whole(token: Token, clauses: Sequence[str]) -> str:
    """Of a clause that began well: what it is in full."""
    whole = next((clause for clause in clauses if clause.split()[0] == token.word), "")
    return f"write {whole}" if whole else ""


def unknown_clause(words: Words, clauses: Sequence[str]) -> InputError:
    token = words.peek()
    if token.word == "CREATE":
        hint = "end the statement before it with a semicolon"
        return words.wrong("HW102", f"unexpected {token}", hint=hint)
    if token.word == "SELECT" and "AS" in clauses:
        return words.wrong("HW102", f"unexpected {token}", hint="write AS before the SELECT")
    if instead := in_clauses((token.word, words.peek(1).word), "view" if "AS" in clauses else "table"):
        return words.wrong("HW102", f"unexpected {token}", hint=instead)
    if token.word in WHOLE_WINDOWS or (token.word == "WINDOWS" and words.peek(1).word in WHOLE_WINDOWS):
        return whole_windows(words, token)
    second = words.peek(1)
    pair = f"{token.text} {second.text}" if second.kind is Kind.WORD else token.text
    firsts = [clause.split()[0] for clause in clauses if clause.split()[0] != token.word]
    likely = did_you_mean(pair, clauses) or _whole(token, clauses) or did_you_mean(token.text, firsts)
    return words.wrong("HW102", f"unexpected {token}", hint=likely or f"known clauses: {', '.join(clauses)}")


def whole_windows(words: Words, token: Token) -> InputError:
    """LAZY or EAGER where they do not stand."""
    return words.wrong(
        "HW102",
        "WINDOWS LAZY and WINDOWS EAGER are said of a table, after the policy of its updates",
        token,
        hint="write CREATE TABLE ... ON OVERLOAD UPDATES best WINDOWS LAZY",
    )
