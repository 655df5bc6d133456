"""Function calls: by name, with what must be known about the name.

A name that Spark does not have is an error here, with the nearest one that it has.  A few functions need
care: struct(a) takes its field names from its arguments' names, which are other ones in a plan; timestampdiff
(MINUTE, a, b) has a word for an argument; window(...) is an operator of the algebra.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Literal, call
from headwater.errors import did_you_mean
from headwater.sql.parsing.arities import wrong_amount
from headwater.sql.parsing.moments import VIEW_TIME
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.passes.foreign_functions import NO_FUNCTIONS_OF_ONES_OWN, instead
from headwater.sql.translate.relations.scope import field_access
from headwater.sql.translate.relations.stars import star_names
from headwater.sql.translate.scalars.aggregate_calls import translate_aggregate
from headwater.sql.translate.scalars.clashes import check_common, check_comparison, check_days
from headwater.sql.translate.scalars.extracted import check_part
from headwater.sql.translate.scalars.literals import escaped, text
from headwater.sql.translate.scalars.repeatability import MOMENT
from headwater.sql.translate.scalars.result_types import result_type
from headwater.sql.translate.scalars.spark_functions import AGGREGATES, GENERATORS, SCALARS, WINDOW_FUNCTIONS
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import element

if TYPE_CHECKING:
    from headwater.sql.translate.scalars.expressions import Expressions

__all__ = ["function_of", "refuse_moment", "translate_call", "view_time", "window_time"]

_TYPES = {"now": "timestamp", "current_date": "date", "localtimestamp": "timestamp_ntz"}
_OF_ONE_TYPE = {  # functions, and which is the first of the arguments that have one type
    "coalesce": 0, "nvl": 0, "ifnull": 0, "greatest": 0, "least": 0, "array": 0, "if": 1, "nvl2": 1,
}  # fmt: skip
_FOLDS = ("aggregate", "reduce")
_WITH_UNIT = {"timestampadd", "timestampdiff", "dateadd", "date_add", "datediff", "date_diff"}


def function_of(node: exp.Expr) -> str:
    """The name of the function that a node calls, in small letters; "" if it calls none by name."""
    while isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        node = node.this
    return node.name.lower() if isinstance(node, exp.Anonymous) else ""


def refuse_moment(notes: Notes, node: exp.Expr, name: str) -> NoReturn:
    """A function whose value is not a function of the sources."""
    reason = MOMENT.get(name, "its value differs each time it is computed")
    notes.fail(
        "HW320",
        node,
        f"{name} cannot be used in a view: {reason}",
        detail="A view at a time must equal its SQL over the sources as of that time.",
        hint="store the value in a column of the source when the row is made",
    )


def view_time(name: str, empty: bool = True) -> Typed | None:
    """now() and its like: the time that the view is as of."""
    if not empty:
        return None
    if name == "unix_timestamp":
        return Typed(Call(name, (call("now"),), "unix_timestamp({0})"), "bigint", nullable=False)
    function = VIEW_TIME.get(name)
    return None if function is None else Typed(call(function), _TYPES[function], nullable=False)


def translate_call(reader: Expressions, node: exp.Expr) -> Typed:
    """The value of a call by name, with its FILTER, WITHIN GROUP or IGNORE NULLS."""
    name = function_of(node)
    if name in AGGREGATES:
        return translate_aggregate(reader, node, name)
    if not isinstance(node, exp.Anonymous):
        reader.notes.fail("HW306", node, f"{name or 'this'} is not an aggregate function")
    if (moment := view_time(name, not node.expressions)) is not None:
        return moment
    _check_name(reader, node, name)
    if name in VIEW_TIME:
        reader.notes.fail("HW113", node, f"{name} takes no arguments in Spark")
    if name in GENERATORS:
        _check_place(reader, node, name)
        reader.several(node.expressions)
        return reader.give_up(node, f"{name} makes several rows of one and has no delta rule")
    if name == "window":
        return _window(reader, node)
    if name == "session_window" and node in reader.ready:
        return reader.ready[node]
    if name == "window_time" and len(node.expressions) == 1:
        return window_time(reader.notes, reader.translate(node.expressions[0]), node)
    if name == "session_window":
        reader.several(node.expressions)
        return reader.give_up(node, f"{name} has no delta rule")
    if name == "struct":
        return _struct(reader, node)
    return _plain(reader, node, name)


def _check_name(reader: Expressions, node: exp.Expr, name: str) -> None:
    if name in MOMENT:
        refuse_moment(reader.notes, node, name)
    if name in WINDOW_FUNCTIONS:
        reader.notes.fail("HW306", node, f"{name} needs OVER (...)")
    if name in ("all", "some"):
        reader.notes.fail(
            "HW113", node, f"{name.upper()} compares with an array or with the rows of a subquery",
            hint=f"x > {name.upper()} (array(1, 2)), or x > {name.upper()} (SELECT ...)",
        )  # fmt: skip
    if name not in SCALARS and name not in GENERATORS:
        known = SCALARS | AGGREGATES | GENERATORS | WINDOW_FUNCTIONS
        hint = instead(name) or did_you_mean(name, known) or NO_FUNCTIONS_OF_ONES_OWN
        reader.notes.fail("HW323", node, f'Spark has no function "{name}"', hint=hint)
    if name in ("date_part", "datepart") and node.expressions and node.expressions[0].is_string:
        check_part(reader.notes, node, node.expressions[0].name)


def _check_place(reader: Expressions, node: exp.Expr, name: str) -> None:
    """A generator is an item of the select list, or stands in FROM."""
    around = node.parent
    while isinstance(around, exp.Alias | exp.Aliases | exp.Paren):
        around = around.parent
    if not isinstance(around, exp.Select | exp.Lateral | exp.Table | None):
        reader.notes.fail(
            "HW306", node, f"{name} makes several rows of one: it cannot be a part of an expression",
            hint=f"SELECT {name}(x) AS y in a query in FROM, or LATERAL VIEW {name}(x) t AS y",
        )  # fmt: skip


def window_time(notes: Notes, window: Typed, node: exp.Expr) -> Typed:
    """The last moment of a window, in Spark's microseconds."""
    end = field_access(notes, window, ["end"], node)
    tick = Literal(timedelta(microseconds=1), "INTERVAL '1' MICROSECOND")
    return Typed(Call("sub", (end.expr, tick), "({0} - {1})"), end.type or "timestamp", end.nullable)


def _window(reader: Expressions, node: exp.Expr) -> Typed:
    window = reader.ready.get(node)
    if window is None:
        reader.several(node.expressions[:1])
        return reader.give_up(node, f"window(...) in {reader.clause} has no delta rule", "")
    return window


def _plain(reader: Expressions, node: exp.Expr, name: str) -> Typed:
    """name(arguments), as it was written; names of functions are lower case in templates."""
    arguments = _arguments(reader, node, name)
    unit = ""
    if name in _WITH_UNIT and len(arguments) == 3:
        unit, arguments = f"{text(arguments[0])}, ", arguments[1:]
    elif wanted := wrong_amount(name, len(arguments)):
        many = "1 argument" if len(arguments) == 1 else f"{len(arguments)} arguments"
        reader.notes.fail("HW113", node, f"{name} takes {wanted}, and is given {many}")
    values: list[Typed] = []
    slots: list[str] = []
    for argument in arguments:
        keyword = f"{argument.name} => " if isinstance(argument, exp.Kwarg) else ""
        written = argument.expression if isinstance(argument, exp.Kwarg) else argument
        if name in _FOLDS and len(values) == 2 and isinstance(written, exp.Lambda):
            values.append(_step(reader, written, *values))
        else:
            values.append(reader.translate(written))
        slots.append(f"{keyword}{{{len(slots)}}}")
    if not unit:
        check_days(reader.notes, node, name, values)
    if name in _OF_ONE_TYPE:
        check_common(reader.notes, node, name, values[_OF_ONE_TYPE[name] :])
    if name == "nullif":
        check_comparison(reader.notes, node, values)
    function = f"{name}_{text(node.expressions[0]).lower()}" if unit else name
    template = f"{name}({unit}{', '.join(slots)})"
    return reader.apply(function, values, template, "" if unit else result_type(name, values))


def _step(reader: Expressions, node: exp.Lambda, values: Typed, start: Typed) -> Typed:
    """aggregate(xs, 0, (sum, x) -> sum + x): each step must give what the first began with."""
    step = reader.function(node, [start.type, element(values.type)])
    if start.type and step.type and start.type != step.type and "void" not in step.type:
        message = f"this begins with {_a(start.type)} and goes on with {_a(step.type)}"
        hint = f"begin with CAST(... AS {step.type.upper()})"
        reader.notes.fail("HW308", node, message, hint=hint)
    return step


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _arguments(reader: Expressions, node: exp.Expr, name: str) -> list[exp.Expr]:
    """The arguments, with f(*) and f(t.*) spelt out."""
    arguments: list[exp.Expr] = []
    for argument in node.expressions:
        if isinstance(argument, exp.Distinct):
            reader.notes.fail("HW306", node, f"{name} is not an aggregate function: it takes no DISTINCT")
        arguments += star_names(reader.scope, argument)
    return arguments


def _struct(reader: Expressions, node: exp.Expr) -> Typed:
    """struct(a, b AS c) as named_struct('a', a, 'c', b): Spark would name the fields after our columns."""
    arguments = _arguments(reader, node, "struct")
    values = reader.several(arguments)
    names = [_field_name(argument, index) for index, argument in enumerate(arguments)]
    slots = ", ".join(
        f"{escaped(text(exp.Literal.string(name)))}, {{{index}}}" for index, name in enumerate(names)
    )
    pairs = [f"{name}:{value.type}" for name, value in zip(names, values, strict=True)]
    kind = f"struct<{','.join(pairs)}>" if all(value.type for value in values) else ""
    expr = Call("struct", tuple(value.expr for value in values), f"named_struct({slots})")
    return Typed(expr, kind, nullable=False)


def _field_name(node: exp.Expr, index: int) -> str:
    if isinstance(node, exp.Alias | exp.Column | exp.Dot):
        return node.alias_or_name or node.expression.name
    return f"col{index + 1}"
