"""Why a query is unbounded: the sources whose rows nothing limits, and why no view helps.

The plan search only says that there is no plan.  Here the largest set of sources that can be read in bounded
work is gathered greedily; each source left over is named, with the place in the SQL where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.algebra.expressions.facts import aliases_of
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Call, Expr, Opaque, Parameter, Subquery, walk
from headwater.bounds.answers.answer import Reason
from headwater.bounds.plans.access.path import Wanted
from headwater.bounds.plans.access.propose import accesses
from headwater.bounds.plans.optimize import plan_query
from headwater.bounds.query.block import Base, Derived, Query, Select, Union, query_of
from headwater.bounds.query.classes import Classes
from headwater.bounds.query.conditions import Conditions, conditions_on
from headwater.bounds.query.forms.prepare import disjunctions, listed
from headwater.bounds.query.settings import Settings
from headwater.bounds.views.refused import Refused

__all__ = ["reasons_of", "stuck_sources"]


def reasons_of(query: Query, settings: Settings, refusals: list[Refused]) -> tuple[Reason, ...]:
    """Why no level is reached, the most helpful reason first."""
    reasons = list(_reasons(query, settings))
    refused = [refusal.reason for refusal in refusals if refusal.reason != "it is not a windowed aggregate"]
    reasons += [Reason("no view: " + text) for text in refused]
    return tuple({reason.text: reason for reason in reversed(reasons)}.values())[::-1]


def _reasons(query: Query, settings: Settings) -> Iterator[Reason]:
    if isinstance(query, Union):
        for branch in query.branches:
            if plan_query(branch, settings) is None:
                yield from _reasons(branch, settings)
        return
    block = listed(query)
    branches = disjunctions(block)
    hard = [branch for branch in branches if plan_query(branch, settings) is None]
    branch = hard[0] if hard else block
    for source, conditions in stuck_sources(branch, settings):
        yield Reason(_describe(branch, source, conditions, settings), source.place)
    for nested in block.sources:
        if isinstance(nested, Derived):
            inside = replace(settings, given=settings.given | {column.alias for column in nested.outer})
            yield from _reasons(nested.query, inside) if plan_query(nested.query, inside) is None else ()
    for condition in block.where:
        for part in walk(condition):
            if isinstance(part, Subquery) and not part.outer:
                inner = query_of(part)
                yield from _reasons(inner, settings) if plan_query(inner, settings) is None else ()
    for part in (part for output in block.outputs for part in walk(output.expr)):
        if isinstance(part, Subquery):
            inner, outer = query_of(part), {column.alias for column in part.outer}
            inside = replace(settings, given=settings.given | outer)
            yield from _reasons(inner, inside) if plan_query(inner, inside) is None else ()


def stuck_sources(block: Select, settings: Settings) -> list[tuple[Base, Conditions]]:
    """The tables whose rows nothing limits, even once all others have been read."""
    classes = Classes.of(block.where)
    done: frozenset[str] = settings.given
    while True:
        step = next(
            (
                s
                for s in block.sources
                if s.alias not in done and _readable(block, s, done, classes, settings)
            ),
            None,
        )
        if step is None:
            break
        done |= {step.alias}
    return [
        (source, conditions_on(source.alias, done, block.where, classes, settings.maxima))
        for source in block.sources
        if source.alias not in done and isinstance(source, Base)
    ]


def _readable(
    block: Select, source: Base | Derived, done: frozenset[str], classes: Classes, settings: Settings
) -> bool:
    if isinstance(source, Derived):
        return plan_query(source.query, settings) is not None
    join = block.left_join(source.alias)
    where = block.where if join is None else join.on
    equal = classes if join is None else Classes.of(join.on)
    conditions = conditions_on(source.alias, done, where, equal, settings.maxima)
    wanted = Wanted(source.alias, source.table, conditions, frozenset(), None)
    return any(access.rows is not None for access in accesses(settings.catalog, wanted))


def _describe(block: Select, source: Base, conditions: Conditions, settings: Settings) -> str:
    columns = [sql_of(term) for term, _ in conditions.equal] + [
        sql_of(term) for term, *_ in conditions.one_of
    ]
    name = source.table if source.alias == source.table else f"{source.table} {source.alias}"
    if columns:
        text = f"any number of rows of {name} may have one value of ({', '.join(dict.fromkeys(columns))})"
    elif conditions.ranges:
        ranges = ", ".join(dict.fromkeys(sql_of(bound.condition) for bound in conditions.ranges))
        text = f"any number of rows of {name} may satisfy {ranges}"
    else:
        text = f"nothing limits the rows of {name} that are read"
    return text + _unenforced(source, settings) + _limit_clause(block, source, conditions, settings)


def _unenforced(source: Base, settings: Settings) -> str:
    table = settings.catalog[source.table]
    if not (table.warn_on_violation and table.cardinalities):
        return ""
    return f" (limits of {table.name} are ON VIOLATION WARN: more rows are accepted, so they prove nothing)"


def _limit_clause(block: Select, source: Base, conditions: Conditions, settings: Settings) -> str:
    """Why LIMIT does not bound it."""
    wild = [condition for condition in block.where if _is_wild(condition, source.alias)]
    if wild:
        return f"; {sql_of(wild[0])} may start with a wildcard, so no index holds its matches together"
    lists = [name for condition in block.where if (name := _open_list(condition, source.alias, settings))]
    if lists:
        return f"; the list :{lists[0]} has no declared maximum"
    if block.limit is None:
        return " and there is no LIMIT" if block.group is None else ", and all of them are aggregated"
    if block.group is not None or block.distinct:
        return "; LIMIT comes after the grouping and saves no reading"
    elsewhere = [item for item in block.order if source.alias not in aliases_of(item.expr)]
    if elsewhere:
        item = sql_of(elsewhere[0].expr)
        return f"; ORDER BY {item} is of another source, so all must be read before the LIMIT"
    ranged = list(dict.fromkeys(bound.term for bound in conditions.ranges))
    if len(ranged) > 1:
        return (
            f"; two ranges, of {sql_of(ranged[0])} and {sql_of(ranged[1])}, do not lie together in any index"
        )
    if ranged and block.order and block.order[0].expr != ranged[0]:
        return f"; it ranges over {sql_of(ranged[0])} but is ordered by {sql_of(block.order[0].expr)}"
    if conditions.others:
        return f"; {sql_of(conditions.others[0])} may drop any number of them before the LIMIT is filled"
    return "; a later join may drop any number of them before the LIMIT is filled"


def _is_wild(condition: Expr, alias: str) -> bool:
    match condition:
        case Call("like", (term, pattern)) | Opaque("ilike", (term, pattern)) if alias in aliases_of(term):
            return not (isinstance(pattern, Call) and pattern.function == "concat")
        case Call("or", (left, right)):
            return _is_wild(left, alias) or _is_wild(right, alias)
        case _:
            return False


def _open_list(condition: Expr, alias: str, settings: Settings) -> str | None:
    match condition:
        case Call("in", (term, Parameter(name))) if alias in aliases_of(term) and name not in settings.maxima:
            return name
        case _:
            return None
