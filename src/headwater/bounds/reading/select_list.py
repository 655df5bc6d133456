"""What a SELECT shows, groups by and is ordered by: outputs, positions and aliases of outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.expressions.facts import has_aggregate
from headwater.algebra.expressions.tree import AggregateCall, Column, Expr
from headwater.bounds.query.block import Order, Output
from headwater.bounds.query.names import Names
from headwater.bounds.reading.expressions.convert import Reader, convert
from headwater.bounds.reading.not_analysed import NotAnalysed
from headwater.bounds.reading.scope import Scope
from headwater.bounds.reading.trees import direction
from headwater.errors import InputError

__all__ = ["SelectList", "outputs_of"]


def outputs_of(node: exp.Select, scope: Scope, reader: Reader) -> tuple[Output, ...]:
    """The outputs with names that differ also when case is ignored; stars are spread."""
    names = Names()
    return tuple(Output(names.fresh(name), expr) for name, expr in _shown(node, scope, reader))


def _shown(node: exp.Select, scope: Scope, reader: Reader) -> Iterator[tuple[str, Expr]]:
    number = 1
    for item in node.expressions:
        if item.is_star and isinstance(item, exp.Star | exp.Column):
            alias = item.table or None if isinstance(item, exp.Column) else None
            star = item.this if isinstance(item, exp.Column) else item
            left_out = {name.name.lower() for name in star.args.get("except_") or []}
            reader.note(item, star, *(star.args.get("except_") or []))
            for name, expr in scope.star(alias, lambda item=item: reader.place(item)):  # type: ignore[misc]
                if name.lower() in left_out:
                    continue
                yield name, expr
                number += 1
            continue
        expr = convert(item, scope, reader)
        spelled = expr.name if isinstance(expr, Column) else ""
        default = expr.function if isinstance(expr, AggregateCall) else f"column_{number}"
        yield item.alias or spelled or item.output_name or default, expr
        number += 1


@dataclass(frozen=True, slots=True)
class SelectList:
    """The outputs of a SELECT, as GROUP BY, HAVING and ORDER BY may name them."""

    outputs: tuple[Output, ...]
    scope: Scope
    reader: Reader

    def aliased_scope(self, node: exp.Expr, first: bool = False) -> Scope:
        """The scope in which a name of the node may also be an output's alias, if no column has that name.

        `first`: an alias comes before a column, as in a HAVING without groups.
        """
        by_name = {output.name.lower(): output.expr for output in self.outputs}
        merged = dict(self.scope.merged)
        for part in node.find_all(exp.Column):
            name = part.name.lower()
            if not part.table and name in by_name and (first or not _is_column(self.scope, part.name)):
                merged[name] = by_name[name]
        return replace(self.scope, merged=merged)

    def groups(self, node: exp.Select) -> tuple[Expr, ...] | None:
        clause = node.args.get("group")
        if clause is None:
            return None
        several = next(clause.find_all(exp.GroupingSets, exp.Cube, exp.Rollup), None)
        if several is not None or clause.args.get("totals"):
            kind = "totals" if several is None else type(several).__name__
            raise NotAnalysed(f"GROUP BY with {kind.upper()} is not understood", self.reader.place(clause))
        if clause.args.get("all"):
            return tuple(output.expr for output in self.outputs if not has_aggregate(output.expr))
        return tuple(dict.fromkeys(self._item(item) for item in clause.expressions))

    def _item(self, node: exp.Expr) -> Expr:
        """A GROUP BY or ORDER BY item: a position, an output's alias or an expression."""
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
            position = int(node.this)
            if not 0 < position <= len(self.outputs):
                text = f"there is no output number {position}"
                raise InputError("HW324", text, place=self.reader.place(node))
            self.reader.note(node)
            return self.outputs[position - 1].expr
        return convert(node, self.aliased_scope(node), self.reader)

    def order(self, node: exp.Expr) -> Order:
        target = node.this if isinstance(node, exp.Ordered) else node
        if isinstance(target, exp.Column) and not target.table:
            named = [output for output in self.outputs if output.name.lower() == target.name.lower()]
            if named:  # in ORDER BY an output's name comes first
                self.reader.note(target)
                return direction(node, named[0].expr)
        self._refuse_two_meanings(target)
        return direction(node, self._item(target))

    def _refuse_two_meanings(self, node: exp.Expr) -> None:
        """In ORDER BY id + 1 some databases mean the column id, others the output of that name."""
        by_name = {output.name.lower(): output.expr for output in self.outputs}
        for part in node.find_all(exp.Column):
            shown = by_name.get(part.name.lower()) if not part.table else None
            if shown is None or part.find_ancestor(exp.Select) is not node.find_ancestor(exp.Select):
                continue
            if _is_column(self.scope, part.name) and convert(part, self.scope, self.reader) != shown:
                text = f'"{part.name}" is a column and an output of another meaning: databases differ'
                raise NotAnalysed(text, self.reader.place(part))


def _is_column(scope: Scope, name: str) -> bool:
    """Does a column have that name, even if it is not clear which?"""
    try:
        return scope.lookup(None, name, lambda: None) is not None
    except InputError:
        return True
