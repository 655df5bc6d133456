"""Expressions as text and back: the small part of SQL that plans are written in.

Printing follows each call's template, without the outermost parentheses.  Reading knows the operators,
CASE, CAST and plain function calls, and gives calls the same templates as the rules and translation do.
What it would read in another way is written exactly (exact.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from headwater.algebra.expressions.nodes import refusal
from headwater.algebra.expressions.tree import Call, Column, Expr, Literal, call
from headwater.algebra.text.exact import read_exact, show_exact
from headwater.errors import InputError

__all__ = ["Reader", "show_expr", "show_name", "show_readable"]

_NAME = r"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)*"
_TOKEN = re.compile(
    r"\s*(?:(?P<string>'[^']*')|(?P<quoted>`[^`]+`)|(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?:BD|D)?)"
    rf"|(?P<name>{_NAME})|(?P<sign><=>|<>|!=|<=|>=|[-+*/%=<>(),\[\]#:]))"
)
_WORDS = {"AND", "OR", "NOT", "IS", "NULL", "IN", "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "END",
          "CAST", "AS", "TRUE", "FALSE", "TIMESTAMP", "INTERVAL", "DISTINCT", "FILTER", "WHERE"}  # fmt: skip
_COMPARISONS = {
    "=": "eq",
    "<>": "neq",
    "!=": "neq",
    "<": "lt",
    "<=": "lte",
    ">": "gt",
    ">=": "gte",
    "<=>": "nulleq",
}
_UNITS = {
    "DAY": timedelta(days=1),
    "HOUR": timedelta(hours=1),
    "MINUTE": timedelta(minutes=1),
    "SECOND": timedelta(seconds=1),
}
_SUMS, _PRODUCTS = {"+": "add", "-": "sub"}, {"*": "mul", "/": "div", "%": "mod"}


def show_name(name: str) -> str:
    return name if re.fullmatch(_NAME, name) and name.upper() not in _WORDS else f"`{name}`"


def show_expr(expr: Expr, inner: bool = False) -> str:
    match expr:
        case Column(name, ""):
            return show_name(name)
        case Literal(_, sql):
            return sql
        case Call("fragment", arguments):
            return f"fragment({', '.join(show_expr(argument, True) for argument in arguments)})"
        case Call(_, arguments, template):
            pattern = template if inner or not _is_wrapped(template) else template[1:-1]
            return pattern.format(*(show_expr(argument, True) for argument in arguments))
        case _:
            raise refusal(expr, "stand in the text of a plan")


def show_readable(expr: Expr) -> str:
    """Text that reads back as this very expression: plain where that is so, else exact."""
    text = show_expr(expr)
    return text if _reads_back(text, expr) else show_exact(expr)


def _reads_back(text: str, expr: Expr) -> bool:
    if len(text.splitlines()) != 1:
        return False
    reader = Reader(text)
    try:
        return repr(reader.expr()) == repr(expr) and reader.ended()  # 1 and 1.0 are equal, and not the same
    except (InputError, ValueError, ArithmeticError):
        return False


def _is_wrapped(template: str) -> bool:
    """Does the first parenthesis close at the very end?"""
    depth = 0
    for at, character in enumerate(template):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at == len(template) - 1 and at > 0
    return False


@dataclass(slots=True)
class Reader:
    """Reads tokens of one line of a plan from left to right."""

    text: str
    at: int = 0

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        return match[0].strip() if match else ""

    def take(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise self.wrong("something more")
        self.at = match.end()
        return match[0].strip()

    def accept(self, *words: str) -> bool:
        """Take the words if they come next, all of them."""
        start = self.at
        for word in words:
            if self.peek().upper() != word.upper():
                self.at = start
                return False
            self.take()
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise self.wrong(f'"{word}"')

    def wrong(self, expected: str) -> InputError:
        return InputError("HW920", f"expected {expected} at column {self.at + 1} of: {self.text}")

    def ended(self) -> bool:
        return not self.text[self.at :].strip()

    def name(self) -> str:
        token = self.take()
        if token.startswith("`"):
            return token[1:-1]
        if not re.fullmatch(_NAME, token):
            raise self.wrong("a name")
        return token

    def expr(self) -> Expr:
        start = self.at + len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
        if self.text.startswith("{", start):
            exact, self.at = read_exact(self.text, start)
            return exact
        left = self._and()
        while self.accept("OR"):
            left = call("or", left, self._and())
        return left

    def _and(self) -> Expr:
        left = self._not()
        while self.accept("AND"):
            left = call("and", left, self._not())
        return left

    def _not(self) -> Expr:
        return call("not", self._not()) if self.accept("NOT") else self._comparison()

    def _comparison(self) -> Expr:
        left = self._sum()
        if self.peek() in _COMPARISONS:
            return call(_COMPARISONS[self.take()], left, self._sum())
        if self.accept("IS", "NOT", "NULL"):
            return call("not", call("is_null", left))
        if self.accept("IS", "NULL"):
            return call("is_null", left)
        if self.accept("LIKE"):
            return call("like", left, self._sum())
        if self.accept("BETWEEN"):
            low = self._sum()
            self.expect("AND")
            return Call("between", (left, low, self._sum()), "({0} BETWEEN {1} AND {2})")
        if self.accept("IN"):
            self.expect("(")
            return call("in", left, *self._arguments())
        return left

    def _sum(self) -> Expr:
        left = self._product()
        while self.peek() in _SUMS:
            left = call(_SUMS[self.take()], left, self._product())
        return left

    def _product(self) -> Expr:
        left = self.primary()
        while self.peek() in _PRODUCTS:
            left = call(_PRODUCTS[self.take()], left, self.primary())
        return left

    def primary(self) -> Expr:
        if self.accept("("):
            inner = self.expr()
            self.expect(")")
            return inner
        if self.accept("CASE"):
            return self._case()
        if self.accept("CAST"):
            return self._cast()
        literal = self._literal()
        if literal is not None:
            return literal
        quoted = self.peek().startswith("`")
        name = self.name()
        if not quoted and self.accept("("):
            return call(name, *self._arguments())
        return Column(name)

    def _arguments(self) -> tuple[Expr, ...]:
        """The arguments up to the closing parenthesis, which is taken."""
        if self.accept(")"):
            return ()
        arguments = [self.expr()]
        while self.accept(","):
            arguments.append(self.expr())
        self.expect(")")
        return tuple(arguments)

    def _case(self) -> Expr:
        parts: list[Expr] = []
        template = "CASE"
        while self.accept("WHEN"):
            parts.append(self.expr())
            self.expect("THEN")
            parts.append(self.expr())
            template += f" WHEN {{{len(parts) - 2}}} THEN {{{len(parts) - 1}}}"
        if self.accept("ELSE"):
            parts.append(self.expr())
            template += f" ELSE {{{len(parts) - 1}}}"
        self.expect("END")
        return Call("case", tuple(parts), template + " END")

    def _cast(self) -> Expr:
        self.expect("(")
        inner = self.expr()
        self.expect("AS")
        template = f"CAST({{0}} AS {self.spark_type()})"
        self.expect(")")
        return Call("cast", (inner,), template)

    def spark_type(self) -> str:
        """A type, up to what can follow one: `decimal(12,4)`, `struct<a:int,b:array<string>>`."""
        text = self.take()
        depth, end = 0, self.at
        while end < len(self.text) and (depth or self.text[end] in "(<"):
            depth += (self.text[end] in "(<") - (self.text[end] in ")>")
            end += 1
        nested, self.at = self.text[self.at : end], end
        return text + re.sub(r"\s*,\s*", ",", nested)

    def _literal(self) -> Literal | None:
        start = self.at
        for word, value in (("NULL", None), ("TRUE", True), ("FALSE", False)):
            if self.accept(word):
                return Literal(value, word)
        if self.peek().startswith("'"):
            token = self.take()
            return Literal(token[1:-1], token)
        if self.accept("TIMESTAMP"):
            token = self.take()
            return Literal(datetime.fromisoformat(token[1:-1]), f"TIMESTAMP {token}")
        if self.accept("INTERVAL"):
            return self._interval()
        sign = "-" if self.accept("-") else ""
        if not self.peek()[:1].isdigit():
            self.at = start
            return None
        return _number(sign + self.take())

    def _interval(self) -> Literal:
        """INTERVAL '6' SECOND: a length of whole units that are always equally long."""
        count, unit = self.take(), self.take()
        if unit not in _UNITS or not count.strip("'").lstrip("-").isdigit():
            raise self.wrong("an interval of days, hours, minutes or seconds")
        return Literal(int(count[1:-1]) * _UNITS[unit], f"INTERVAL {count} {unit}")


def _number(token: str) -> Literal:
    if token.endswith("BD"):
        return Literal(Decimal(token[:-2]), token)
    if token.endswith("D"):
        return Literal(float(token[:-1]), token)
    if token.lstrip("-").isdigit():
        return Literal(int(token), token)
    return Literal(float(token) if "e" in token.lower() else Decimal(token), token)
