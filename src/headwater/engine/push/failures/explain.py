"""Which row made a stage fail, and which expression; found afterwards, off the critical path.

The row is looked for among the net changes that the stage could not take in; where it is not among them,
among all rows, if these are few enough.  Each question ends with the first row that answers it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.algebra.delta.derive import delta
from headwater.algebra.expressions.sql import sql_of
from headwater.algebra.expressions.tree import Expr, columns_of, spark_sql
from headwater.algebra.failures.failing_rows import Failing
from headwater.algebra.failures.suspects import Suspect, readable, suspects, with_columns
from headwater.algebra.moments.crossing import bound
from headwater.algebra.moments.plans import TIME, bind
from headwater.algebra.passes import optimize
from headwater.algebra.plans.nodes import Plan, Scan
from headwater.algebra.plans.walks import nodes
from headwater.engine.push.decide import Job
from headwater.engine.push.failures.data_errors import DataError
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import stored_columns
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import quoted
from headwater.engine.query.writer import QueryWriter
from headwater.errors import Place
from headwater.model import View
from headwater.planning.stages.actions import Mode
from headwater.storage.timeline import WEIGHT

__all__ = ["explain"]

MOST_ROWS = 5_000_000  # of a relation as a whole, to be searched
LONGEST_VALUE, LONGEST_ROW = 40, 160

_REMEDIES = {
    "div": "try_divide({0}, {1}) or {0} / NULLIF({1}, 0)",
    "mod": "{0} % NULLIF({1}, 0)",
    "int_div": "{0} DIV NULLIF({1}, 0)",
    "add": "try_add({0}, {1})",
    "sub": "try_subtract({0}, {1})",
    "mul": "try_multiply({0}, {1})",
    "element_at": "try_element_at({0}, {1})",
}


@dataclass(frozen=True, slots=True)
class Culprit:
    """A row, and the call that fails for it."""

    suspect: Suspect
    failing: Failing
    row: Mapping[str, Any]


def explain(workplace: Workplace, error: DataError) -> DataError:
    """The error with the row and the expression, if they are found; as it is if not."""
    job = error.job
    culprit = _culprit(workplace, job)
    view = workplace.catalog.project.views.get(job.kept.view)
    if culprit is None:
        return _by_fragment(error, view)
    if any(name.startswith("_") for name in columns_of(culprit.failing.call)):
        group = [
            f"{name} = {_short(value)}" for name, value in culprit.row.items() if not name.startswith("_")
        ]
        where = f"for the group {', '.join(group)}" if group else "for the whole"
        return error.explained(where, None, "write a try_ function or NULLIF, or mend its rows")
    call = readable(culprit.failing.call, culprit.suspect.rows.columns)
    written = sql_of(call)
    place = _place(view, written)
    where = f"at {written}{f' ({place})' if place else ''} for the row {_row_text(culprit)}"
    return error.explained(where, place, f"write {_remedy(call)}, or mend the row")


def _by_fragment(error: DataError, view: View | None) -> DataError:
    """Spark says which part of the SQL failed; of a user's own SQL that is enough to find it there."""
    if not error.cause.fragment:
        return error
    place = _place(view, error.cause.fragment)
    where = f"at {error.cause.fragment}{f' ({place})' if place else ''}"
    return error.explained(where, place, "write a try_ function, or leave such rows out by a WHERE")


def _culprit(workplace: Workplace, job: Job) -> Culprit | None:
    plan = job.stage.plan
    if plan is None:
        return None
    keys = {name: table.key for name, table in workplace.catalog.project.tables.items()}
    above = [expr for _, expr in stored_columns(job.stage, job.kept)]
    with Inputs(workplace.spark_of(job.name)) as opened:
        queries = QueryWriter(workplace.relations(job.stage, job.until), opened, hints=False, net=True)
        for suspect in suspects(plan, above):
            widened = Suspect(with_columns(suspect.rows, keys), suspect.calls)
            for rows in _searched(job, widened, queries):
                row = _first(widened, rows, job, queries, opened)
                if row is not None:
                    return row
    return None


def _searched(job: Job, suspect: Suspect, queries: QueryWriter) -> Iterator[Plan]:
    if job.mode is Mode.INCREMENTAL:
        passed = {TIME} if job.passed else set()
        changes = delta(suspect.failing, frozenset(job.changed) | passed)
        if changes is not None:
            yield bind(optimize(changes), job.after, job.until)
    if queries.estimates.rows(suspect.rows) <= MOST_ROWS:
        yield bind(suspect.failing, job.after, job.until)


def _first(suspect: Suspect, rows: Plan, job: Job, queries: QueryWriter, opened: Inputs) -> Culprit | None:
    """The first row, with the first call that fails for it."""
    query = queries.query(rows)
    tests = ", ".join(
        f"coalesce({spark_sql(bound(failing.condition, job.after, job.until))}, false) AS _fails{number}"
        for number, failing in enumerate(suspect.calls)
    )
    columns = ", ".join(map(quoted, rows.columns))
    text = f"SELECT {columns}, {tests} FROM {query.text} WHERE {WEIGHT} > 0 LIMIT 1"
    for row in opened.spark.sql(text).collect():
        values = list(row)
        answers = values[len(rows.columns) :]
        named = dict(zip(rows.columns, values, strict=False))
        return Culprit(suspect, suspect.calls[answers.index(True)], named)
    return None


def _row_text(culprit: Culprit) -> str:
    """`id = 7, v = 0 of t`: what the call reads first, then the rest, as far as there is room."""
    columns = culprit.suspect.rows.columns
    read = columns_of(culprit.failing.call)
    scans = [node for node in nodes(culprit.suspect.rows) if isinstance(node, Scan)]
    own = [scan for scan in scans if read & set(scan.columns)] or scans
    names = [name for scan in own for name in scan.columns if name in culprit.row] or list(columns)
    parts = [f"{name.rsplit('.', 1)[-1]} = {_short(culprit.row[name])}" for name in names]
    listed = _fitting(parts, [part for name, part in zip(names, parts, strict=True) if name in read])
    relations = ", ".join(dict.fromkeys(scan.relation for scan in own))
    return f"{listed} of {relations}" if len(own) == len(scans) == 1 else f"{listed} (of {relations})"


def _fitting(parts: Sequence[str], needed: Sequence[str]) -> str:
    """As many parts as there is room for, those that are needed among them."""
    room = LONGEST_ROW - sum(len(part) + 2 for part in needed)
    shown = []
    for part in parts:
        if part in needed:
            shown.append(part)
        elif len(part) + 2 <= room:
            room -= len(part) + 2
            shown.append(part)
    return ", ".join(shown) + (", ..." if len(shown) < len(parts) else "")


def _short(value: object) -> str:
    text = "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."


def _remedy(call: Expr) -> str:
    """How to write what failed so that it gives NULL."""
    function = getattr(call, "function", "")
    arguments = [sql_of(argument, 7) for argument in getattr(call, "arguments", ())]
    if function == "cast":
        return re.sub(r"^CAST\(", "try_cast(", sql_of(call))
    remedy = _REMEDIES.get(function)
    return remedy.format(*arguments) if remedy else "a try_ function"


def _place(view: View | None, written: str) -> Place | None:
    """Where the view's SQL says so, if it does in these words."""
    if view is None or not view.sql.text:
        return None
    tokens = re.findall(r"'[^']*'|[\w.]+|[^\w\s()`]", written)
    pattern = r"[\s()`]*".join(rf"(?:\w+`?\.)?`?{re.escape(token)}" for token in tokens)
    sql = view.sql
    as_written = (sql.source or sql.text)[sql.offset :][: len(sql.text)]  # without conditions of a WINDOW
    match = re.search(pattern, as_written, re.IGNORECASE)
    return None if match is None else view.sql.place(match.start(), match.end() - match.start())
