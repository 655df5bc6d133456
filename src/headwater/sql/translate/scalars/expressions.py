"""Turn an SQL expression into one of the algebra, with its type.

Operators become calls under the names that the evaluator knows; every other function becomes a call under
its own name, written back as `name(arguments)`, so Spark sees what the user wrote.  Subqueries and
window functions become columns that the caller puts under the expression (`gathered`).  Parts that have no
delta rule are noted as obstacles and replaced by a NULL, and the work goes on.

Invariant: the template of a call, filled with its arguments, is one operand: it can stand beside any
operator without changing its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from sqlglot import exp

from headwater.algebra.expressions.tree import Call, Expr
from headwater.sql.parsing.moments import BARE
from headwater.sql.parsing.names import same_name, spelling
from headwater.sql.translate.gathered import Gathered
from headwater.sql.translate.groups.collector import Collector, has_aggregates
from headwater.sql.translate.notes import Notes
from headwater.sql.translate.over.functions import window_function
from headwater.sql.translate.relations.scope import Field, Rows, Scope, field_access
from headwater.sql.translate.relations.subqueries import (
    is_in_subquery,
    is_subquery_value,
    negated_value,
    predicate_value,
    scalar_value,
)
from headwater.sql.translate.scalars import calls, operators
from headwater.sql.translate.scalars.casts import translate_cast
from headwater.sql.translate.scalars.clashes import (
    check_arithmetic,
    check_boolean,
    check_common,
    check_comparison,
)
from headwater.sql.translate.scalars.literals import NULL, interval, literal, negative, text
from headwater.sql.translate.scalars.repeatability import MOMENT
from headwater.sql.translate.scalars.result_types import never_null
from headwater.sql.translate.scalars.typed import Typed
from headwater.sql.translate.scalars.types import common_of, element

__all__ = ["Expressions"]


@dataclass(frozen=True, slots=True)
class Expressions:
    """How expressions are read in one clause of one query."""

    notes: Notes
    scope: Scope
    clause: str  # for messages: WHERE, GROUP BY, ...
    nested: Callable[[exp.Expr, Scope], Rows]
    collector: Collector | None = None  # where aggregates may stand
    gathered: Gathered | None = None  # where subqueries and window functions may stand
    below: Gathered | None = None  # where the subqueries of an aggregate's arguments stand: under the groups
    aliases: Mapping[str, Typed] = field(default_factory=dict)  # of the select list, for what comes after
    aliases_first: bool = False  # HAVING looks at them before the columns
    variables: Mapping[str, str] = field(default_factory=dict)  # of the lambdas around, and their types
    # window(...) and subqueries among the keys: the columns that stand for them already
    ready: Mapping[exp.Expr, Typed] = field(default_factory=dict)

    def translate(self, node: exp.Expr) -> Typed:
        """The expression's value over the scope."""
        if self.ready and is_subquery_value(node) and node in self.ready:
            return self.ready[node]
        match node:
            case exp.Paren() | exp.Alias():
                return self.translate(node.this)
            case exp.Column() | exp.Dot():
                return self._name(node)
            case exp.Literal() | exp.Boolean() | exp.Null():
                return literal(node)
            case exp.Interval():
                return interval(node)
            case exp.Cast():
                return translate_cast(self, node)
            case exp.Case():
                return self._case(node)
            case exp.Not() if self.is_value and is_in_subquery(node.this.unnest()):
                return negated_value(self, node.this.unnest())
            case exp.In() | exp.Exists() | exp.Any() | exp.All() if operators.query_of(node) is not None:
                return predicate_value(self, node)
            case exp.Subquery() | exp.Select() | exp.SetOperation():
                return scalar_value(self, node)
            case exp.Window():
                return window_function(self, node)
            case exp.Anonymous() | exp.Filter() | exp.WithinGroup() | exp.IgnoreNulls() | exp.RespectNulls():
                return calls.translate_call(self, node)
            case exp.Identifier():  # sqlglot's form of a lambda's variable
                return self._variable([node.name])
            case exp.Lambda():
                return self.function(node, [""] * len(node.expressions))
            case exp.Placeholder() | exp.Parameter():
                return self._parameter(node)
            case exp.Star():
                return self._star(node)
            case _:
                return operators.translate_operator(self, node)

    def condition(self, node: exp.Expr) -> Typed:
        """A condition: true, false or NULL."""
        value = self.translate(node)
        check_boolean(self.notes, node, value, self.clause)
        return value

    def several(self, nodes: Sequence[exp.Expr]) -> tuple[Typed, ...]:
        return tuple(self.translate(node) for node in nodes)

    def inside(self, clause: str) -> Expressions:
        """A reader for an aggregate's arguments: no aggregate may be nested, not even under a name."""
        rows = {name: value for name, value in self.aliases.items() if not has_aggregates(value.expr)}
        return replace(
            self, clause=clause, collector=None, gathered=self.below, aliases=rows, aliases_first=False
        )

    @property
    def is_value(self) -> bool:
        """Is what is read shown or aggregated, not a condition?"""
        return self.clause == "SELECT" or self.clause.startswith("the argument")

    def outer_columns(self) -> frozenset[str]:
        """The columns that a subquery in an expression may be compared with."""
        own = () if self.scope.plan is None else self.scope.plan.columns
        return frozenset(own) | (self.gathered.columns if self.gathered is not None else frozenset())

    def give_up(self, node: exp.Expr, reason: str, kind: str = "") -> Typed:
        """Note an obstacle; a NULL takes the place of the value, so that the rest is still checked."""
        self.notes.obstacle(node, reason)
        return Typed(NULL.expr, kind)

    def apply(self, function: str, values: Sequence[Typed], template: str, kind: str) -> Typed:
        """A call on values that are already translated."""
        arguments = tuple(value.expr for value in values)
        return Typed(Call(function, arguments, template), kind, not never_null(function, values))

    def _name(self, node: exp.Expr) -> Typed:
        parts, rest = _parts(node)
        if not parts:
            base = self.translate(rest[0])
            return field_access(self.notes, base, [part.name for part in rest[1:]], node)
        names = [part.name for part in parts]
        if names[0].lower() in self.variables:
            return self._variable(names)
        return self._resolve(names, node)

    def _resolve(self, names: list[str], node: exp.Expr) -> Typed:
        alias = self.aliases.get(names[0].lower())
        if alias is not None and self.aliases_first:
            return field_access(self.notes, alias, names[1:], node)
        column = self.scope.resolve(names, node)
        if column is not None:
            return column
        if alias is not None:
            return field_access(self.notes, alias, names[1:], node)
        if len(names) == 1 and (moment := calls.view_time(names[0].lower(), names[0].lower() in BARE)):
            return moment
        if len(names) == 1 and names[0].lower() in MOMENT:
            calls.refuse_moment(self.notes, node, names[0].lower())
        window = next((made for node, made in self.ready.items() if isinstance(node, exp.Anonymous)), None)
        if window is not None and names[0].lower() in ("window", "session_window"):
            return field_access(self.notes, window, names[1:], node)
        return self._unknown(names, node)

    def _unknown(self, names: list[str], node: exp.Expr) -> NoReturn:
        reachable = self.scope.reachable()
        relations = list(dict.fromkeys(field.qualifier for field in reachable if field.qualifier))
        qualifier = names[0] if len(names) > 1 and spelling(names[0], relations) is not None else ""
        choices = list(dict.fromkeys([*self.scope.names(qualifier), *self.aliases]))
        if len(names) > 1 and not qualifier and not _is_column(reachable, names[0]):
            self.notes.unknown(
                "HW302", node, f'unknown column "{".".join(names)}": there is no', names[0], relations
            )
        if names[0].lower() in (made := _made_beside(node)):
            self.notes.fail(
                "HW302", node, f'unknown column "{names[0]}"',
                detail=f"SELECT makes {names[0]} of the rows that are read here.",
                hint=f"write {made[names[0].lower()]} here, or filter around a query in FROM",
            )  # fmt: skip
        self.notes.unknown("HW302", node, "unknown column", ".".join(names), choices)

    def _variable(self, names: list[str]) -> Typed:
        value: Expr = Call("variable", (), f"`{names[0].lower()}`")
        typed = Typed(value, self.variables.get(names[0].lower(), ""))
        return field_access(self.notes, typed, names[1:], exp.null())

    def function(self, node: exp.Lambda, types: Sequence[str]) -> Typed:
        """(a, b) -> a + b, of values of these types, where they are known."""
        names = [variable.name.lower() for variable in node.expressions]
        inner = replace(self, variables={**self.variables, **dict(zip(names, types, strict=False))})
        body = inner.translate(node.this)
        listed = ", ".join(f"`{name}`" for name in names)
        parameters = listed if len(names) == 1 else f"({listed})"  # Spark takes no brackets around one
        return Typed(Call("lambda", (body.expr,), f"{parameters} -> {{0}}"), body.type)

    def _case(self, node: exp.Case) -> Typed:
        subject = [self.translate(node.this)] if node.this else []
        tests, results, template = [], [], "CASE {0}" if subject else "CASE"
        values = list(subject)
        for branch in node.args["ifs"]:
            test = self.translate(branch.this) if subject else self.condition(branch.this)
            result = self.translate(branch.args["true"])
            template += f" WHEN {{{len(values)}}} THEN {{{len(values) + 1}}}"
            values += [test, result]
            tests.append(test)
            results.append(result)
        default = node.args.get("default")
        if default is not None:
            results.append(self.translate(default))
            template += f" ELSE {{{len(values)}}}"
            values.append(results[-1])
        if subject:
            check_comparison(self.notes, node, [*subject, *tests])
        check_common(self.notes, node, "CASE", results)
        kind = common_of(result.type for result in results)
        nullable = default is None or any(result.nullable for result in results)
        arguments = tuple(value.expr for value in values)
        return Typed(Call("case", arguments, f"{template} END"), kind, nullable)

    def _star(self, node: exp.Expr) -> NoReturn:
        self.notes.fail("HW328", node, "* can be used alone or in count(*), not in an expression")

    def _parameter(self, node: exp.Expr) -> NoReturn:
        self.notes.fail(
            "HW114",
            node,
            f"a view cannot have the parameter {text(node)}",
            hint="make it a column of the view and declare a CREATE QUERY that filters on it",
        )

    def negate(self, node: exp.Neg) -> Typed:
        value = self.translate(node.this)
        constant = negative(value)
        if constant is None:
            check_arithmetic(self.notes, node, [value])
        kind = "double" if value.type == "string" else value.type
        return constant or self.apply("neg", [value], "(- {0})", kind)

    def bracket(self, node: exp.Bracket) -> Typed:
        """x[1], m['key']."""
        value = self.translate(node.this)
        keys = self.several(node.expressions)
        expr = Call("bracket", (value.expr, keys[0].expr), "{0}[{1}]")
        return Typed(expr, element(value.type))


def _is_column(fields: Sequence[Field], name: str) -> bool:
    """Is there a column of this name, whose fields a dotted name could mean?"""
    return any(same_name(field.name, name) for field in fields)


def _parts(node: exp.Expr) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """a.b.c as identifiers; or, when what stands first is no name, that and the identifiers after it."""
    if isinstance(node, exp.Column):
        if isinstance(node.this, exp.Star):
            return [], [node.this]
        return list(node.parts), []
    after: list[exp.Expr] = []
    here = node
    while isinstance(here, exp.Dot):
        after.insert(0, here.expression)
        here = here.this
    if isinstance(here, exp.Column):
        return [*here.parts, *after], []
    return [], [here, *after]


def _made_beside(node: exp.Expr) -> dict[str, str]:
    """What the SELECT around a node gives a name, by that name in lower case."""
    select = node.find_ancestor(exp.Select)
    made = select.expressions if select is not None else []
    return {
        column.alias.lower(): column.this.sql("spark") for column in made if isinstance(column, exp.Alias)
    }
