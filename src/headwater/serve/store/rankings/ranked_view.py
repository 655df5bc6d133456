"""A ranking that changes as time goes by, as the store keeps it.

    counters   by epoch and group, kept by delta queries like any view
    staging    an index of the counters: hash bucket of the group, then epoch.  A partition is some buckets
    ranking    leads (what parameters equal, and the epoch), place -> what the query shows

A refresh reads the counters of one window, bucket by bucket, looks up by key what the query shows besides,
and ranks.  The query reads the table of places: one range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from headwater.algebra.expressions.build import number
from headwater.algebra.expressions.partial_states import state_of_row
from headwater.algebra.expressions.tree import (
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Parameter,
    call,
    replace_largest,
)
from headwater.bounds.answers.answer import Answer
from headwater.bounds.plans.optimize import plan_query
from headwater.bounds.plans.plan import Index, IndexPart
from headwater.bounds.plans.subplans import BoundedPlan
from headwater.bounds.query.block import Base, Order, Output, Select
from headwater.bounds.query.catalog import Catalog
from headwater.bounds.query.classes import Classes, equality
from headwater.bounds.query.settings import Settings
from headwater.bounds.views.partial_states import partial_states, read_state
from headwater.bounds.views.refresh import Ranking
from headwater.model import Cardinality, Table
from headwater.model import Column as ModelColumn

__all__ = ["BUCKETS", "EPOCH", "PLACE", "RankedView", "ranked_view"]

BUCKETS = 256
EPOCH = "$epoch"  # the parameter that says which window's places are read
PLACE = "place"
_ONE = number(1)
ROW = "r"  # the alias of a group with its states, where outputs and order are computed


@dataclass(frozen=True, slots=True)
class RankedView:
    name: str
    counters: str  # the view that counts, by its name in plans
    key: tuple[str, ...]  # of the counters, without their epoch
    states: tuple[str, ...]  # the counters' columns that add up
    epoch: str  # the counters' column that holds epochs
    step: int | timedelta
    slots: int  # epochs in a window
    staging: Index
    lookup: BoundedPlan  # from the columns of a counter to groups and states
    groups: int  # how many of its outputs are groups; the rest are states
    whole: bool  # a group is one counter, so a partition may cut
    leads: tuple[Expr, ...]  # over ROW, the epoch left out
    outputs: tuple[Expr, ...]
    having: tuple[Expr, ...]
    order: tuple[Order, ...]
    most: int  # places
    table: Table
    now: Expr  # which epoch a reader asks for
    read: BoundedPlan
    catalog: Catalog  # with the counters and the table

    def window(self, end: Any) -> list[Any]:
        """The epochs of the window that ends with one."""
        return [end - place * self.step for place in range(self.slots)]


def ranked_view(answer: Answer) -> RankedView | None:
    """How a periodic answer is kept; None if it is none, or needs more than counters can give."""
    periodic = answer.periodic
    if periodic is None or periodic.ranking is None or not periodic.counters:
        return None
    ranking, most = periodic.ranking, periodic.rows
    step = _step(ranking)
    if step is None or ranking.block.offset is not None or ranking.block.distinct:
        return None
    return _view(answer.name, ranking, step, most)


def _view(name: str, ranking: Ranking, step: int | timedelta, most: int) -> RankedView | None:
    block, counters = ranking.block, _counters(ranking)
    held = ranking.catalog[counters]
    epoch = _column(ranking.epoch)
    if held.key[0] != epoch:
        return None
    asked = [(value, column) for value, column in ranking.equal if column != ranking.epoch]
    leads = tuple(dict.fromkeys(column for _, column in asked))
    groups = tuple(dict.fromkeys((*leads, *(group for group in block.group or () if group != ranking.epoch))))
    states = partial_states(block.aggregates)
    lookup = _lookup(ranking, groups, states)
    if lookup is None:
        return None
    mapping = _over_row(block, groups, states)
    table = _table(f"{name}_ranking", len(leads), block, most)
    catalog = ranking.catalog.with_tables(table)
    read = plan_query(_reading(block, asked, leads, table), Settings(catalog, {}, most))
    if read is None:
        return None
    key = tuple(column for column in held.key if column != epoch)
    return RankedView(
        name, counters, key, tuple(column for column in held.column_names if column not in held.key), epoch,
        step, ranking.slots, _staging(counters, key, epoch, held.column_names), lookup, len(groups),
        _is_whole(block, counters, key, groups),
        tuple(replace_largest(lead, mapping) for lead in leads),
        tuple(replace_largest(output.expr, mapping) for output in block.outputs),
        tuple(replace_largest(condition, mapping) for condition in block.having),
        tuple(replace(item, expr=replace_largest(item.expr, mapping)) for item in block.order),
        most, table, _now(ranking), read, catalog,
    )  # fmt: skip


def _counters(ranking: Ranking) -> str:
    assert isinstance(ranking.epoch, Column)
    return ranking.epoch.alias


def _column(expr: Expr) -> str:
    assert isinstance(expr, Column)
    return expr.name


def _now(ranking: Ranking) -> Expr:
    return next(value for value, column in ranking.equal if column == ranking.epoch)


def _step(ranking: Ranking) -> int | timedelta | None:
    """How far epochs are apart, in the units of their column."""
    match _now(ranking):
        case Call("sub", (_, Call("mod", (_, Literal(int() as units))))):
            return units
        case Call("epoch", (_, Literal(int() as micros))):
            return timedelta(microseconds=micros)
        case _:
            return None


def _lookup(
    ranking: Ranking, groups: tuple[Expr, ...], states: tuple[AggregateCall, ...]
) -> BoundedPlan | None:
    """What one counter contributes: the groups it is in and its states, with other sources by their keys."""
    counters, block = _counters(ranking), ranking.block
    given = {value for value, _ in ranking.equal}
    outputs = [Output(f"g{place}", group) for place, group in enumerate(groups)]
    outputs += [Output(f"s{place}", state_of_row(state, _ONE)) for place, state in enumerate(states)]
    contribution = replace(
        block,
        sources=tuple(source for source in block.sources if source.alias != counters),
        where=tuple(condition for condition in block.where if not set(equality(condition) or ()) & given),
        outputs=tuple(outputs), group=None, having=(), order=(), limit=None,
    )  # fmt: skip
    row: dict[Expr, Expr] = {
        Column(name, counters): Parameter(name) for name in ranking.catalog[counters].column_names
    }
    return plan_query(contribution.substitute(row), Settings(ranking.catalog))


def _over_row(block: Select, groups: tuple[Expr, ...], states: tuple[AggregateCall, ...]) -> dict[Expr, Expr]:
    """Groups and aggregates as columns of the merged row."""
    stored: dict[Expr, Expr] = {state: Column(f"s{place}", ROW) for place, state in enumerate(states)}
    values: dict[Expr, Expr] = {
        aggregate: read_state(aggregate, stored, merged=False) for aggregate in block.aggregates
    }
    return {**{group: Column(f"g{place}", ROW) for place, group in enumerate(groups)}, **values}


def _is_whole(block: Select, counters: str, key: tuple[str, ...], groups: tuple[Expr, ...]) -> bool:
    classes = Classes.of(block.where)
    return all(
        set(groups) & {Column(name, counters), *classes.of_member(Column(name, counters))} for name in key
    )


def _staging(counters: str, key: tuple[str, ...], epoch: str, columns: tuple[str, ...]) -> Index:
    bucket = call("hash_bucket", *map(Column, key), number(BUCKETS))
    carried = tuple(name for name in columns if name not in (*key, epoch))
    return Index(counters, (IndexPart(bucket), IndexPart(Column(epoch))), carried)


def _table(name: str, leads: int, block: Select, most: int) -> Table:
    """Leads by number, since what they are called may also be the name of an output."""
    key = (*_lead_names(leads), PLACE)
    columns = (*key, *(f"out_{place + 1}" for place in range(len(block.outputs))))
    return Table(
        name=name,
        columns=tuple(ModelColumn(column, "string") for column in columns),
        key=key,
        cardinalities=(Cardinality(_lead_names(leads), most),),
    )


def _lead_names(leads: int) -> tuple[str, ...]:
    return ("epoch", *(f"lead_{place + 1}" for place in range(leads)))


def _reading(block: Select, asked: list[tuple[Expr, Expr]], leads: tuple[Expr, ...], table: Table) -> Select:
    """The places of one window, for the values that are asked for."""
    names = dict(zip(leads, _lead_names(len(leads))[1:], strict=True))
    where = [call("eq", Column("epoch", table.name), Parameter(EPOCH))]
    where += [call("eq", Column(names[column], table.name), value) for value, column in asked]
    outputs = tuple(
        Output(output.name, Column(f"out_{place + 1}", table.name))
        for place, output in enumerate(block.outputs)
    )
    order = (Order(Column(PLACE, table.name)),)
    return Select((Base(table.name, table.name),), tuple(where), outputs, order=order, limit=block.limit)
