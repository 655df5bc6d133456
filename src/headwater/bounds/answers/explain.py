"""A plan, a view and their proofs, as text: what `headwater check --explain` prints."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Expr
from headwater.bounds.answers.answer import Answer
from headwater.bounds.plans.plan import (
    Bound,
    Cut,
    Dedupe,
    Each,
    Equal,
    Extremes,
    Filter,
    Group,
    Nested,
    OneOf,
    Plan,
    Probe,
    Project,
    Sets,
    Setup,
    Start,
    index_text,
)  # fmt: skip
from headwater.bounds.query.block import Order
from headwater.bounds.views.choose import ChosenView
from headwater.bounds.views.refresh import PERIOD, Periodic

__all__ = ["explain", "plan_lines"]

_OPERATORS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}


def explain(answer: Answer) -> str:
    """Everything that `check` says about one query."""
    lines = [f"{answer.name}: {answer.level.value}"]
    if answer.operations is not None:
        lines.append(
            f"  at most {answer.operations} operations, {answer.read} rows read, {answer.results} results"
        )
    lines += [
        f"  because: {reason.text}" + (f" ({reason.place})" if reason.place else "")
        for reason in answer.reasons
    ]
    lines += [f"  advice: {advice.text} (reaches {advice.level.value})" for advice in answer.advice]
    lines += [f"  assumes: {assumption}" for assumption in answer.assumes]
    lines += [f"  assumes: :{name} is at most {most}" for name, most in answer.parameters]
    if answer.indexes:
        lines += ["", "indexes"] + [f"  {index_text(index)}" for index in answer.indexes]
    if answer.choice is not None:
        for view in answer.choice.views:
            lines += ["", *_view_lines(view)]
    if answer.periodic is not None:
        lines += ["", *_periodic_lines(answer.periodic)]
    if answer.rewritten is not None:
        lines += ["", "the query becomes", f"  {answer.rewritten}"]
    if answer.bounded_plan is not None:
        lines += ["", "plan (bounds: operations, rows read, rows passed on)"]
        lines += [f"  {line}" for line in plan_lines(answer.bounded_plan.plan)]
    return "\n".join(lines)


def _view_lines(view: ChosenView) -> Iterator[str]:
    yield f"view {view.candidate.name}, sorted by ({', '.join(view.candidate.table.key)})"
    yield f"  {view.sql}"
    yield f"  storage: at most {view.storage.factor} rows for each row of {view.storage.relative_to}, because"
    for line in view.storage.chain:
        yield f"    {line}"
    yield "  kept in a project's store by delta queries: bounded for each row, they need no push of Spark"
    for upkeep in view.maintenance:
        verb = "increments" if upkeep.delta.grouped else "writes"
        yield (
            f"  on a change of {upkeep.delta.table} as {upkeep.delta.alias}: "
            f"at most {upkeep.operations} operations "
            f"({upkeep.bounded_plan.bound.operations} to read, {upkeep.writes} {verb})"
        )
        yield f"    {upkeep.delta.sql}"
        for line in plan_lines(upkeep.bounded_plan.plan):
            yield f"      {line}"


def _periodic_lines(periodic: Periodic) -> Iterator[str]:
    for staging in periodic.stagings:
        yield f"staging view {staging.name}: one write for each change of {staging.table}, spread by hash"
        yield f"  CREATE VIEW {staging.name} {staging.sql}"
    for view in periodic.counters:
        yield from _view_lines(view)
    if periodic.refreshed:
        yield f"periodic view {periodic.name}, sorted by ({', '.join(periodic.key)})"
        yield f"  CREATE VIEW {periodic.name} PERIODIC {PERIOD} {periodic.sql}"
    yield f"  serial work: {periodic.serial_text}"


def _cost(bound: Bound) -> str:
    return f"[{bound.operations}, {bound.read}, {bound.rows}]"


def plan_lines(plan: Plan, depth: int = 0) -> Iterator[str]:
    """The plan from its result down to its reads."""
    yield "  " * depth + f"{_title(plan)}  {_cost(plan.bound)}"
    for name, child in _children(plan):
        if name:
            yield "  " * (depth + 1) + f"{name}:"
        yield from plan_lines(child, depth + (2 if name else 1))


def _children(plan: Plan) -> list[tuple[str, Plan]]:
    match plan:
        case Probe(child) | Cut(child) | Group(child) if not isinstance(child, Start):
            return [("", child)]
        case Filter(child, _, _, subplans) | Project(child, _, _, _, subplans):
            below = [] if isinstance(child, Start) else [("", child)]
            return below + [(f"for {sql_of(subplan.query)[:60]}", subplan.plan) for subplan in subplans]
        case Nested(child, alias, inner):
            below = [] if isinstance(child, Start) else [("", child)]
            return [*below, (alias, inner)]
        case Dedupe(branches) | Sets(branches):
            return [("", branch) for branch in branches]
        case Extremes(plans):
            return [(sql_of(aggregate), inner) for aggregate, inner in plans]
        case Setup(values, child):
            return [*((f":{name}", inner) for name, inner in values), ("", child)]
        case _:
            return []


def _title(plan: Plan) -> str:
    match plan:
        case Start(checks):
            return "one row" + (f" if {_all(checks)}" if checks else "")
        case Probe():
            return _probe(plan)
        case Filter(_, conditions):
            return f"keep rows where {_all(conditions)}"
        case Nested(_, alias, _, _, optional, _, each):
            times = ", computed for each row" if each else ""
            return f"join with the rows of {alias}{times}" + (", if any" if optional else "")
        case Cut(_, order, limit, offset, _, per):
            of_each = f", for each {', '.join(map(sql_of, per))}" if per else ""
            return _cut(order, limit, offset) + of_each
        case Group(_, group, aggregates):
            by = f" by {', '.join(map(sql_of, group))}" if group else ""
            return f"aggregate {', '.join(map(sql_of, aggregates)) or 'nothing'}{by}"
        case Project(_, outputs, _, distinct):
            return ("distinct " if distinct else "") + "show " + ", ".join(output.name for output in outputs)
        case Dedupe():
            return "union of the branches of OR, each row once"
        case Sets(_, kind):
            return {"all": "union all", "distinct": "union"}.get(kind, kind)
        case Extremes():
            return "ends of orders"
        case Setup(values):
            return "first compute " + ", ".join(f":{name}" for name, _ in values)


def _all(conditions: tuple[Expr, ...]) -> str:
    return " and ".join(sql_of(condition, 2) for condition in conditions)


def _cut(order: tuple[Order, ...], limit: Expr | None, offset: Expr | None) -> str:
    text = ""
    if order:
        text = "sort by " + ", ".join(
            sql_of(item.expr) + (" DESC" if item.descending else "") for item in order
        )
    if limit is not None:
        text += (", " if text else "") + f"stop at {sql_of(limit)}"
    if offset is not None:
        text += f" after {sql_of(offset)}"
    return text or "as they come"


def _probe(plan: Probe) -> str:
    verb = "get" if plan.unique else "range of"
    what = f"{plan.index.table} by key" if plan.unique else index_text(plan.index)
    if plan.index.primary and not plan.unique:
        what = f"{index_text(plan.index)} (primary key)"
    text = f"{verb} {what}"
    if plan.alias != plan.index.table:
        text += f" as {plan.alias}"
    bound = [
        _binding(part.expr, binding) for part, binding in zip(plan.index.parts, plan.bindings, strict=False)
    ]
    if len(plan.bindings) < len(plan.index.parts):
        part = plan.index.parts[len(plan.bindings)].expr
        bound += [_range(part, op, value) for op, value in plan.ranges]
    if bound:
        text += " where " + ", ".join(bound)
    text += ", backwards" if plan.reverse else ""
    text += f", first {sql_of(plan.limit)} of each" if plan.limit is not None else ""
    text += ", fetching each row" if plan.fetch else ""
    return text + (", if any" if plan.optional else "")


def _range(part: Expr, op: str, value: Expr) -> str:
    match op:
        case "notnull":
            return f"{sql_of(part)} is not NULL"
        case "prefix":
            return f"{sql_of(part)} like {sql_of(value)}"
        case _:
            return f"{sql_of(part)} {_OPERATORS[op]} {sql_of(value)}"


def _binding(part: Expr, binding: Equal | OneOf | Each) -> str:
    match binding:
        case Equal(value):
            return f"{sql_of(part)} = {sql_of(value)}"
        case OneOf(values, most):
            return f"{sql_of(part)} in ({', '.join(map(sql_of, values))}) (at most {most})"
        case Each(most, _, stop):
            each = "each" if stop is None else "the first"
            return f"{each} {sql_of(part)} (at most {most})"
