"""From what a CREATE TABLE says to a Table: names resolved, constraints checked.

Everything that can be checked within the statement is checked here; what a foreign key or a site refers to is
left to `resolve`, which sees the whole project.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from headwater.model import (
    Cardinality,
    Column,
    Expectation,
    ForeignKey,
    ReadWeight,
    RefreshWeight,
    Table,
    Updates,
)
from headwater.sql.ddl.clauses import Given
from headwater.sql.ddl.overload import OverloadText, check_own_columns, check_updates, resolve_windows
from headwater.sql.ddl.retain import RetainText, resolve_retain
from headwater.sql.ddl.table_body import Draft
from headwater.sql.ddl.watermark import WatermarkText, resolve_watermark
from headwater.sql.parsing.lexer import Token
from headwater.sql.parsing.names import columns_among
from headwater.sql.parsing.references import KeyReference, Reference, SiteReference
from headwater.sql.parsing.types import TEMPORAL_TYPES
from headwater.sql.parsing.words import Words

__all__ = ["PROVIDERS", "TableText", "build_table"]

PROVIDERS = ("api", "files", "postgres", "stream")


@dataclass(slots=True)
class TableText:
    """All that a CREATE TABLE says."""

    name: Token
    draft: Draft
    given: Given = field(default_factory=Given)
    with_cardinality: list[tuple[Token, int]] = field(default_factory=list)


def build_table(words: Words, text: TableText) -> tuple[Table, tuple[Reference, ...]]:
    if not text.draft.columns:
        raise words.wrong("HW117", f'the table "{text.name.text}" has no columns', text.name)
    key = _one_key(words, text, "primary_key", text.draft.keys)
    columns, provider = _columns(words, text, key), _provider(words, text.given)
    retain = cast(RetainText | None, text.given.value("retain"))
    watermark = cast(WatermarkText | None, text.given.value("watermark"))
    update_key = _one_key(words, text, "update_key", text.draft.update_keys)
    updates, weight = _updates(words, text, update_key)
    overload = cast(OverloadText, text.given.value("on_overload") or OverloadText())
    table = Table(
        name=text.name.text,
        columns=columns,
        key=key,
        unique=tuple(dict.fromkeys(_resolve(words, text, tokens) for tokens in text.draft.unique)),
        foreign_keys=tuple(_foreign_keys(words, text)),
        cardinalities=_cardinalities(words, text, key),
        update_key=update_key,
        provider=provider,
        options=cast(dict[str, str], text.given.value("options") or {}),
        site=cast(str, text.given.value("site") or "default"),
        expect=_expectation(words, text),
        warn_on_violation=text.given.value("on_violation") is True,
        retain=resolve_retain(words, retain, text.name.text, columns, provider),
        watermark=resolve_watermark(words, watermark, text.name.text, columns, provider),
        updates=updates,
        weight=weight,
        overload_weight=cast(float, text.given.value("overload_weight") or 1.0),
        windows=resolve_windows(words, overload, text.name.text, columns, update_key),
        place=words.place(text.name),
    )
    return table, tuple(_references(words, text))


def _names(text: TableText) -> list[str]:
    return [column.name.text for column in text.draft.columns]


def _resolve(words: Words, text: TableText, tokens: Sequence[Token]) -> tuple[str, ...]:
    return columns_among(words, tokens, _names(text), f'the table "{text.name.text}"')


def _property_columns(words: Words, text: TableText, name: str) -> tuple[str, ...]:
    tokens = cast(tuple[Token, ...] | None, text.given.value(name))
    return _resolve(words, text, tokens) if tokens else ()


def _one_key(words: Words, text: TableText, name: str, drafts: list[tuple[Token, ...]]) -> tuple[str, ...]:
    """A primary or update key: given once, as a clause or as a property (or both, if they agree)."""
    title = name.replace("_", " ").upper()
    if len(drafts) > 1:
        raise words.wrong(
            "HW117",
            f'the table "{text.name.text}" has two {title}s',
            drafts[1][0],
            hint=f"for a key of several columns write {title} (a, b) after the columns",
        )
    clause = _resolve(words, text, drafts[0]) if drafts else ()
    named = _property_columns(words, text, name)
    if clause and named and clause != named:
        raise _disagree(words, text, name)
    return clause or named


def _disagree(words: Words, text: TableText, name: str) -> Exception:
    return words.wrong(
        "HW103",
        f"the property 'headwater.{name}' and the table's own clauses disagree",
        text.given.token(name),
        hint="keep one of the two, or make them say the same",
    )


def _columns(words: Words, text: TableText, key: tuple[str, ...]) -> tuple[Column, ...]:
    temporal = _property_columns(words, text, "temporal")
    for column in text.draft.columns:
        if column.name.text in temporal and column.type not in TEMPORAL_TYPES:
            raise words.wrong(
                "HW110",
                f'"{column.name.text}" is a {column.type} and cannot be TEMPORAL',
                text.given.token("temporal"),
            )
    return tuple(
        Column(
            column.name.text,
            column.type,
            nullable=not column.not_null and column.name.text not in key,
            temporal=column.temporal or column.name.text in temporal,
            default=column.default,
        )
        for column in text.draft.columns
    )


def _updates(
    words: Words, text: TableText, update_key: tuple[str, ...]
) -> tuple[Updates, RefreshWeight | ReadWeight | None]:
    updates = cast(OverloadText, text.given.value("on_overload") or OverloadText()).updates
    weight = cast(RefreshWeight | ReadWeight | None, text.given.value("refresh_weight"))
    given = ("overload_weight", "refresh_weight", "on_overload")
    token = next((place for name in given if (place := text.given.token(name))), text.name)
    shares = text.given.value("overload_weight") is not None
    if updates is not Updates.APPEND:
        check_own_columns(words, [column.name for column in text.draft.columns])
    check_updates(words, text.name.text, update_key, updates, weight, token, shares)
    return updates, weight


def _foreign_keys(words: Words, text: TableText) -> Iterable[ForeignKey]:
    for draft in text.draft.foreign_keys:
        referenced = tuple(token.text for token in draft.referenced)
        yield ForeignKey(_resolve(words, text, draft.columns), draft.table.text, referenced)


def _references(words: Words, text: TableText) -> Iterable[Reference]:
    owner = text.name.text
    if (site := text.given.token("site")) is not None:
        yield SiteReference(cast(str, text.given.value("site")), words.place(site))
    for number, draft in enumerate(text.draft.foreign_keys):
        places = tuple(words.place(token) for token in draft.referenced)
        yield KeyReference(owner, number, words.place(draft.table), places)


def _cardinalities(words: Words, text: TableText, key: tuple[str, ...]) -> tuple[Cardinality, ...]:
    """From CARDINALITY LIMIT, WITH CARDINALITY and the property: one limit for each set of columns."""
    limits = cast(tuple[tuple[int, tuple[Token, ...]], ...], text.given.value("cardinality") or ())
    limits_by_columns: dict[frozenset[str], Cardinality] = {}
    given = [
        (_resolve(words, text, tokens), limit, tokens[0] if tokens else text.name)
        for limit, tokens in (*text.draft.limits, *limits)
    ]
    given += [(*_others(words, text, key, column), limit, column) for column, limit in text.with_cardinality]
    for columns, limit, token in given:
        first = limits_by_columns.setdefault(frozenset(columns), Cardinality(columns, limit))
        if first.limit != limit:
            raise words.wrong(
                "HW103",
                f"({', '.join(columns)}) has two cardinality limits, {first.limit} and {limit}",
                token,
                hint="keep one of the two",
            )
    return tuple(limits_by_columns.values())


def _others(words: Words, text: TableText, key: tuple[str, ...], column: Token) -> tuple[tuple[str, ...]]:
    """WITH CARDINALITY (tag, n) limits the rows that share the key's other columns."""
    (name,) = _resolve(words, text, [column])
    others = tuple(part for part in key if part != name)
    if name not in key or not others:
        raise words.wrong(
            "HW117",
            f'WITH CARDINALITY ({name}, ...) needs "{name}" in the primary key, beside another column',
            column,
            detail="It bounds how many values of a key column there are for one value of the key's others.",
            hint=f"to bound the rows for any one {name} write CARDINALITY LIMIT n ({name}) after the columns",
        )
    return (others,)


def _provider(words: Words, given: Given) -> str:
    if "options" in given.clauses and given.value("provider") is None:
        raise words.wrong(
            "HW116",
            "OPTIONS need a provider",
            given.token("options"),
            hint=f"write USING {PROVIDERS[1]} before",
        )
    return cast(str, given.value("provider") or PROVIDERS[0])


def _expectation(words: Words, text: TableText) -> Expectation:
    given = text.given
    clause = cast(dict[str, object], given.value("expect") or {})
    named = {name: given.value(f"expect_{name}") for name in ("rows", "rate")}
    for name, value in named.items():
        if value is not None and name in clause and clause[name] != value:
            raise words.wrong(
                "HW103",
                f"the property 'headwater.expect_{name}' and the clause disagree",
                given.token(f"expect_{name}"),
                hint="keep one of the two, or make them say the same",
            )
    rows = clause.get("rows", named["rows"])
    rate = clause.get("rate", named["rate"])
    counts = cast(list[tuple[Token, int]], clause.get("values", []))
    columns = _resolve(words, text, [column for column, _ in counts])
    values = tuple(zip(columns, (count for _, count in counts), strict=True))
    return Expectation(None if rows is None else int(cast(int, rows)), cast(float | None, rate), values)
