"""Why a query is unbounded: the sources whose rows nothing limits, and why no view helps.

The plan search only says that there is no plan.  Here the largest set of sources that can be read in bounded
work is gathered greedily; each source left over is named, with the place in the SQL where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.scale.access import Wanted, accesses
from headwater.scale.answer import Reason
from headwater.scale.block import Base, Derived, Query, Select, Union
from headwater.scale.classes import Classes
from headwater.scale.conditions import Conditions, conditions_on
from headwater.scale.expr import Expr, Fn, Param, SubQuery, aliases_of, sql_of, walk
from headwater.scale.optimize import plan_query
from headwater.scale.prepare import disjunctions, listed
from headwater.scale.refused import Refused
from headwater.scale.settings import Settings

__all__ = ["reasons_of", "stuck_sources"]


def reasons_of(query: Query, settings: Settings, refusals: list[Refused]) -> tuple[Reason, ...]:
    """What stands against every level, most telling first."""
    found = list(_reasons(query, settings))
    told = [one.reason for one in refusals if one.reason != "it is not a windowed aggregate"]
    found += [Reason("no view: " + text) for text in told]
    return tuple({reason.text: reason for reason in reversed(found)}.values())[::-1]


def _reasons(query: Query, settings: Settings) -> Iterator[Reason]:
    if isinstance(query, Union):
        for branch in query.branches:
            if plan_query(branch, settings) is None:
                yield from _reasons(branch, settings)
        return
    block = listed(query)
    branches = disjunctions(block)
    hard = [one for one in branches if plan_query(one, settings) is None]
    for one in hard[:1] or [block]:
        for source, conditions in stuck_sources(one, settings):
            yield Reason(_describe(one, source, conditions, settings), source.place)
    for nested in block.sources:
        if isinstance(nested, Derived) and plan_query(nested.query, settings) is None:
            yield from _reasons(nested.query, settings)
    for condition in block.where:
        for part in walk(condition):
            if isinstance(part, SubQuery) and not part.outer and plan_query(part.query, settings) is None:
                yield from _reasons(part.query, settings)


def stuck_sources(block: Select, settings: Settings) -> list[tuple[Base, Conditions]]:
    """Tables whose rows stay unlimited when all others that can be read are given."""
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
    known = classes if join is None else Classes.of(join.on)
    conditions = conditions_on(source.alias, done, where, known, settings.maxima)
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
        ranges = ", ".join(dict.fromkeys(sql_of(one.condition) for one in conditions.ranges))
        text = f"any number of rows of {name} may satisfy {ranges}"
    else:
        text = f"nothing limits the rows of {name} that are read"
    return text + _limit_clause(block, source, conditions, settings)


def _limit_clause(block: Select, source: Base, conditions: Conditions, settings: Settings) -> str:
    """Why LIMIT does not save it."""
    wild = [one for one in block.where if _is_wild(one, source.alias)]
    if wild:
        return f"; {sql_of(wild[0])} may start with a wildcard, so no index holds its matches together"
    lists = [name for one in block.where if (name := _open_list(one, source.alias, settings))]
    if lists:
        return f"; the list :{lists[0]} has no declared maximum"
    if block.limit is None:
        return " and there is no LIMIT" if block.group is None else ", and all of them are aggregated"
    if block.group is not None or block.distinct:
        return "; LIMIT comes after the grouping and saves no reading"
    elsewhere = [one for one in block.order if source.alias not in aliases_of(one.expr)]
    if elsewhere:
        item = sql_of(elsewhere[0].expr)
        return f"; ORDER BY {item} is of another source, so all must be read before the LIMIT"
    ranged = list(dict.fromkeys(one.term for one in conditions.ranges))
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
        case Fn("like" | "ilike", (term, pattern)) if alias in aliases_of(term):
            return not (isinstance(pattern, Fn) and pattern.name == "concat")
        case Fn("or", (left, right)):
            return _is_wild(left, alias) or _is_wild(right, alias)
        case _:
            return False


def _open_list(condition: Expr, alias: str, settings: Settings) -> str | None:
    match condition:
        case Fn("in", (term, Param(name))) if alias in aliases_of(term) and name not in settings.maxima:
            return name
        case _:
            return None
