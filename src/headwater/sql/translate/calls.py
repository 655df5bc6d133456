"""Function calls: by name, with what must be known about the name.

A name that Spark does not have is an error here, with the nearest one that it has.  A few functions need
care: struct(a) takes its field names from its arguments' names, which are other ones in a plan; timestampdiff
(MINUTE, a, b) has a word for an argument; window(...) is an operator of the algebra.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sqlglot import exp

from headwater.algebra.expressions import Call
from headwater.errors import did_you_mean
from headwater.sql.translate.aggregate_calls import translate_aggregate
from headwater.sql.translate.functions import MOMENT, result_type
from headwater.sql.translate.literals import text
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.scope import Typed
from headwater.sql.translate.spark_functions import AGGREGATES, GENERATORS, SCALARS, WINDOW_FUNCTIONS
from headwater.sql.translate.stars import star_names

if TYPE_CHECKING:
    from headwater.sql.translate.expressions import Expressions

__all__ = ["function_of", "refuse_moment", "translate_call", "window_function_type"]

_WITH_UNIT = {"timestampadd", "timestampdiff", "dateadd", "date_add", "datediff", "date_diff"}


def function_of(node: exp.Expr) -> str:
    """The name of the function that a node calls, in small letters; "" if it calls none by name."""
    while isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        node = node.this
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def refuse_moment(notes: Notes, node: exp.Expr, name: str) -> NoReturn:
    """A function whose value is not a function of the sources."""
    reason = MOMENT.get(name, "its value is another one each time it is computed")
    notes.fail(
        "HW320",
        node,
        f"{name} cannot stand in a view: {reason}",
        detail="A view at a time must equal its SQL over the sources as of that time.",
        hint="store the value in a column of the source when the row is made",
    )


def translate_call(self: Expressions, node: exp.Expr) -> Typed:
    """The value of a call by name, with its FILTER, WITHIN GROUP or IGNORE NULLS."""
    name = function_of(node)
    if name in AGGREGATES:
        return translate_aggregate(self, node, name)
    if not isinstance(node, exp.Anonymous):
        self.notes.fail("HW306", node, f"{name or 'this'} is not an aggregate function")
    _check_name(self, node, name)
    if name in GENERATORS:
        self.several(node.expressions)
        return self.give_up(node, f"{name} makes several rows of one and has no delta rule")
    if name == "window":
        return _window(self, node)
    if name == "session_window" or name == "window_time":
        self.several(node.expressions)
        return self.give_up(node, f"{name} has no delta rule")
    if name == "struct":
        return _struct(self, node)
    return _plain(self, node, name)


def _check_name(self: Expressions, node: exp.Expr, name: str) -> None:
    if name in MOMENT or (name == "unix_timestamp" and not node.expressions):
        refuse_moment(self.notes, node, name)
    if name in WINDOW_FUNCTIONS:
        self.notes.fail("HW306", node, f"{name} needs OVER (...)")
    if name not in SCALARS and name not in GENERATORS:
        known = did_you_mean(name, SCALARS | AGGREGATES | GENERATORS | WINDOW_FUNCTIONS)
        self.notes.fail("HW323", node, f'Spark has no function "{name}"', hint=known)


def _window(self: Expressions, node: exp.Expr) -> Typed:
    found = self.windows.get(node)
    if found is None:
        self.several(node.expressions[:1])
        return self.give_up(node, f"window(...) in {self.clause} has no delta rule", "")
    return found


def _plain(self: Expressions, node: exp.Expr, name: str) -> Typed:
    """name(arguments), as it was written; names of functions are lower case in templates."""
    arguments = _arguments(self, node, name)
    unit = ""
    if name in _WITH_UNIT and len(arguments) == 3:
        unit, arguments = f"{text(arguments[0])}, ", arguments[1:]
    values: list[Typed] = []
    slots: list[str] = []
    for argument in arguments:
        keyword = f"{argument.name} => " if isinstance(argument, exp.Kwarg) else ""
        values.append(self.translate(argument.expression if isinstance(argument, exp.Kwarg) else argument))
        slots.append(f"{keyword}{{{len(slots)}}}")
    function = f"{name}_{text(node.expressions[0]).lower()}" if unit else name
    template = f"{name}({unit}{', '.join(slots)})"
    return self.apply(function, values, template, "" if unit else result_type(name, values))


def _arguments(self: Expressions, node: exp.Expr, name: str) -> list[exp.Expr]:
    """The arguments, with f(*) and f(t.*) spelt out."""
    found: list[exp.Expr] = []
    for argument in node.expressions:
        if isinstance(argument, exp.Distinct):
            self.notes.fail("HW306", node, f"{name} is not an aggregate function: it takes no DISTINCT")
        found += star_names(self.scope, argument)
    return found


def _struct(self: Expressions, node: exp.Expr) -> Typed:
    """struct(a, b AS c) as named_struct('a', a, 'c', b): Spark would name the fields after our columns."""
    arguments = _arguments(self, node, "struct")
    values = self.several(arguments)
    names = [_field_name(one, index) for index, one in enumerate(arguments)]
    slots = ", ".join(
        f"{_escaped(text(exp.Literal.string(name)))}, {{{index}}}" for index, name in enumerate(names)
    )
    pairs = [f"{name}:{value.type}" for name, value in zip(names, values, strict=True)]
    kind = f"struct<{','.join(pairs)}>" if all(one.type for one in values) else ""
    expr = Call("struct", tuple(one.expr for one in values), f"named_struct({slots})")
    return Typed(expr, kind, nullable=False)


def _field_name(node: exp.Expr, index: int) -> str:
    if isinstance(node, exp.Alias | exp.Column | exp.Dot):
        return node.alias_or_name or node.expression.name
    return f"col{index + 1}"


def _escaped(written: str) -> str:
    return written.replace("{", "{{").replace("}", "}}")


def window_function_type(self: Expressions, node: exp.Window) -> str:
    """Look at the parts of `f(x) OVER (PARTITION BY y ORDER BY z)` for errors; the type, where known."""
    call = node.this
    arguments = [one for one in call.find_all(exp.Column) if not isinstance(one.this, exp.Star)]
    for one in [*arguments, *node.args.get("partition_by", [])]:
        self.translate(one)
    order = node.args.get("order")
    for ordered in order.expressions if order is not None else ():
        self.translate(ordered.this)
    name = function_of(call)
    if name in ("row_number", "rank", "dense_rank", "ntile"):
        return "int"
    return "bigint" if name == "count" else ""
