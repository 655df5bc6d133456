"""Triggers: what a write on their table does besides is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.schema.qualified import plain_name
from headwater.bounds.reading.writes.targets import targets_of
from headwater.sql.parsing.words import Words

__all__ = ["Trigger", "declared_triggers", "refuse_triggers"]

_EVENTS = ("INSERT", "UPDATE", "DELETE")
_KINDS = ("TRIGGER", "RULE")


@dataclass(frozen=True, slots=True)
class Trigger:
    name: str
    table: str
    events: frozenset[str]


def declared_triggers(statements: Iterable[Words]) -> Iterator[Trigger]:
    """CREATE TRIGGER a AFTER INSERT OR UPDATE ON t, and PostgreSQL's CREATE RULE a AS ON UPDATE TO t."""
    for words in statements:
        tokens = words.rest()
        start = next((at for at, token in enumerate(tokens[:6]) if token.word in _KINDS), None)
        if not words.at("CREATE") or start is None:
            continue
        is_rule = tokens[start].word == "RULE"
        head = tokens[start + 1 :]
        ends = (at for at, token in enumerate(head) if token.word == ("TO" if is_rule else "ON"))
        end = next(ends, len(head))
        on_table = [token.text for token in head[end + 1 : end + 4]]
        table = on_table[2] if on_table[1:2] == ["."] and len(on_table) > 2 else next(iter(on_table), "")
        names = [token.text for token in head if token.word not in ("IF", "NOT", "EXISTS")]
        events = frozenset(token.word for token in head[:end] if token.word in _EVENTS)
        yield Trigger(next(iter(names), ""), table.strip('[]`"').lower(), events)


def refuse_triggers(tree: exp.Expr, triggers: Iterable[Trigger]) -> None:
    written = {(name, event) for name, event in _written(tree)}
    for trigger in triggers:
        if any((trigger.table, event) in written for event in trigger.events):
            raise NotAnalysed(f'the trigger "{trigger.name}" runs with it, and what it does is not known')


def _written(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    match tree:
        case exp.Insert():
            target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            yield target.name.lower(), "INSERT"
            if tree.args.get("conflict"):
                yield target.name.lower(), "UPDATE"
            if tree.args.get("alternative"):  # INSERT OR REPLACE
                yield target.name.lower(), "DELETE"
        case exp.Update() | exp.Delete():
            yield from ((plain_name(target.name).lower(), tree.key.upper()) for target in targets_of(tree))
