"""Read the text of a plan back: the inverse of text.show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from headwater.algebra.expressions.partial_states import MERGED
from headwater.algebra.expressions.tree import Column, Expr, Literal, slots
from headwater.algebra.plans.framing import Bound, Edge, Frame, Order, OverCall
from headwater.algebra.plans.nodes import (
    Aggregate,
    AggregateCall,
    Explode,
    Filter,
    Join,
    JoinKind,
    Negate,
    OuterJoin,
    Over,
    Plan,
    Project,
    Restrict,
    Scan,
    SemiJoin,
    Union,
    Version,
    Windows,
)
from headwater.algebra.text.expressions import Reader
from headwater.errors import InputError

__all__ = ["parse"]

_LABEL = re.compile(r"#(\d+)(?:: (.*))?")
Lines = list[tuple[int, str]]


def parse(text: str) -> Plan:
    """The plan that `show` would print as this text."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines() if line.strip()]
    plan, rest = _node(lines, {})
    if rest:
        raise InputError("HW921", f"a plan has one root, but this stands beside it: {rest[0][1]}")
    return plan


def _node(lines: Lines, labels: dict[str, Plan]) -> tuple[Plan, Lines]:
    """The first line's node with all that is further in, and the lines after that."""
    if not lines:
        raise InputError("HW921", "a plan ends too early")
    (indent, line), rest = lines[0], lines[1:]
    label = _LABEL.fullmatch(line)
    if label is not None and label[2] is None:
        return _labelled(label[1], labels), rest
    inputs: list[Plan] = []
    while rest and rest[0][0] > indent:
        child, rest = _node(rest, labels)
        inputs.append(child)
    node = _build(Reader(label[2] if label else line), inputs)
    if label is not None:
        labels[label[1]] = node
    return node, rest


def _labelled(number: str, labels: dict[str, Plan]) -> Plan:
    if number not in labels:
        raise InputError("HW921", f"#{number} is used before it is given")
    return labels[number]


def _build(reader: Reader, inputs: list[Plan]) -> Plan:
    word = reader.name()
    node = _with_inputs(word, reader, inputs)
    if not reader.ended():
        raise reader.wrong("the end of the line")
    return node


def _with_inputs(word: str, reader: Reader, inputs: list[Plan]) -> Plan:
    match word, inputs:
        case "Scan", []:
            return _scan(reader)
        case "Filter", [child]:
            return Filter(child, _exprs(reader)[0])
        case "Project", [child]:
            return Project(child, _named(reader))
        case "Windows", [child]:
            return _windows(reader, child)
        case "Join", [_, *_]:
            return Join(tuple(inputs), _exprs(reader))
        case (("LeftJoin" | "RightJoin" | "FullJoin"), [left, right]):
            return OuterJoin(left, right, JoinKind(word[:-4].lower()), _pairs(reader), _where(reader))
        case (("SemiJoin" | "AntiJoin"), [left, right]):
            return SemiJoin(left, right, _pairs(reader), _where(reader), word == "AntiJoin")
        case "Union", [_, *_]:
            return Union(tuple(inputs))
        case "Distinct", [child]:
            return Aggregate(child, _named(reader), ())
        case "Aggregate", [child]:
            return Aggregate(child, _named(reader), tuple(_calls(reader)))
        case "Over", [child]:
            return _over(reader, child)
        case "Explode", [child]:
            names = tuple(reader.name() for _ in _listed(reader))
            (generator,) = _exprs(reader)
            return Explode(child, names, generator, reader.accept("outer"))
        case "Negate", [child]:
            return Negate(child)
        case "Restrict", [child, by]:
            return Restrict(child, _exprs(reader), by)
        case _:
            raise InputError("HW922", f"{word} is no node over {len(inputs)} inputs")


def _listed(reader: Reader) -> Iterator[None]:
    """Once for every item in [ , , ]."""
    reader.expect("[")
    if reader.accept("]"):
        return
    yield
    while reader.accept(","):
        yield
    reader.expect("]")


def _exprs(reader: Reader) -> tuple[Expr, ...]:
    return tuple(reader.expr() for _ in _listed(reader))


def _named(reader: Reader) -> tuple[tuple[str, Expr], ...]:
    return tuple(_item(reader) for _ in _listed(reader))


def _item(reader: Reader) -> tuple[str, Expr]:
    name = reader.name()
    return (name, reader.expr()) if reader.accept("=") else (name, Column(name))


def _pairs(reader: Reader) -> tuple[tuple[Expr, Expr], ...]:
    pairs = []
    for condition in _exprs(reader):
        if getattr(condition, "function", "") != "eq":
            raise reader.wrong("left = right")
        left, right = condition.arguments  # type: ignore[union-attr]
        pairs.append((left, right))
    return tuple(pairs)


def _where(reader: Reader) -> Expr | None:
    return _exprs(reader)[0] if reader.accept("where") else None


def _scan(reader: Reader) -> Scan:
    relation = reader.name()
    alias = relation if reader.peek() == "[" else reader.name()
    names = tuple(reader.name() for _ in _listed(reader))
    version = Version.NEW if reader.ended() else Version(reader.take())
    return Scan(relation, alias, names, version)


def _windows(reader: Reader, child: Plan) -> Windows:
    name = reader.name()
    (time,) = _exprs(reader)
    members = [_lengths(reader)]
    while reader.accept("and"):
        members.append(_lengths(reader))
    if reader.accept("by"):
        return Windows(child, name, time, *members[0]).of_many(members, reader.name())
    return Windows(child, name, time, *members[0])


def _lengths(reader: Reader) -> tuple[timedelta, timedelta, timedelta]:
    size = _seconds(reader)
    reader.expect("every")
    slide = _seconds(reader)
    return size, slide, _seconds(reader) if reader.accept("offset") else timedelta()


def _seconds(reader: Reader) -> timedelta:
    sign = -1 if reader.accept("-") else 1
    seconds = Decimal(reader.take())
    reader.expect("s")
    return sign * timedelta(microseconds=int(seconds * 1_000_000))


def _over(reader: Reader, child: Plan) -> Over:
    partition = _exprs(reader)
    order = tuple(_order(reader) for _ in _listed(reader)) if reader.accept("order") else ()
    calls = tuple(OverCall(_named_call(reader), _frame(reader)) for _ in _listed(reader))
    most = None
    if reader.accept("most", "["):
        name = reader.name()
        reader.expect(",")
        most = name, int(reader.take())
        reader.expect("]")
    return Over(child, partition, order, calls, most)


def _order(reader: Reader) -> Order:
    expr = reader.expr()
    descending = reader.accept("DESC")
    nulls_first = not descending
    if reader.accept("NULLS"):
        nulls_first = reader.accept("FIRST")
        if not nulls_first:
            reader.expect("LAST")
    return Order(expr, descending, nulls_first)


def _frame(reader: Reader) -> Frame | None:
    rows = reader.accept("ROWS", "BETWEEN")
    if not rows and not reader.accept("RANGE", "BETWEEN"):
        return None
    start = _bound(reader)
    reader.expect("AND")
    return Frame(rows, start, _bound(reader))


def _bound(reader: Reader) -> Bound:
    for edge in (Edge.START, Edge.CURRENT, Edge.END):
        if reader.accept(*edge.value.split()):
            return Bound(edge)
    offset = reader.primary()
    return Bound(Edge.BEFORE if reader.accept("PRECEDING") else Edge(reader.take().upper()), offset)


def _calls(reader: Reader) -> Iterator[AggregateCall]:
    for _ in _listed(reader):
        yield _named_call(reader)


def _named_call(reader: Reader) -> AggregateCall:
    """name = function(arguments) FILTER (WHERE ...) : type"""
    name = reader.name()
    reader.expect("=")
    call = _call(reader, name)
    if reader.accept("FILTER", "(", "WHERE"):
        call = replace(call, where=reader.expr())
        reader.expect(")")
    return replace(call, type=reader.spark_type()) if reader.accept(":") else call


def _call(reader: Reader, name: str) -> AggregateCall:
    function = reader.name()
    reader.expect("(")
    distinct = reader.accept("DISTINCT")
    arguments = [] if reader.accept(")") else [reader.expr()]
    while arguments and reader.accept(","):
        arguments.append(reader.expr())
    if arguments:
        reader.expect(")")
    if function == "count" and arguments == [Literal(1, "1")]:
        return AggregateCall(name, function, (), "count(1)")
    plain = f"{function}({'DISTINCT ' if distinct else ''}{slots(len(arguments))})"
    template = MERGED.get(function, plain)
    if reader.accept("IGNORE", "NULLS"):
        template += " IGNORE NULLS"
    return AggregateCall(name, function, tuple(arguments), template, distinct)
