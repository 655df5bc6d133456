"""What one dialect means by what others write too, written so that it means the same for all.

    CAST(code AS VARCHAR)    of SQL Server keeps thirty characters: CAST(code AS VARCHAR(30))
    code::char               keeps one in standard SQL, all of them in MySQL and SQLite
    @prefix + '%'            of SQL Server joins texts: @prefix || '%'
    WHERE ... ROWNUM <= 10   of Oracle is a cut before anything else: LIMIT 10, where nothing else follows
    VALUES ROW(1), ROW(2)    of MySQL are VALUES (1), (2)
    day = date('now')        of SQLite compares texts: day = CAST(date('now') AS TEXT)
    starts_with(name, :p)    name LIKE :p || '%'

Many values have the same beginning, so a key on a text does not answer a comparison with a part of it.
"""

from __future__ import annotations

from sqlglot import exp

__all__ = ["in_common_form"]

_KEEPING_ALL = ("mysql", "sqlite")
_CHAR = (exp.DataType.Type.CHAR, exp.DataType.Type.NCHAR)
_VARCHAR = (exp.DataType.Type.VARCHAR, exp.DataType.Type.NVARCHAR)


def in_common_form(tree: exp.Expr, dialect: str) -> exp.Expr:
    lengths = dict.fromkeys(_CHAR, 1) if dialect not in _KEEPING_ALL else {}
    if dialect == "tsql":
        lengths = dict.fromkeys((*_CHAR, *_VARCHAR), 30)
        tree = tree.transform(_with_joined_texts, copy=False)
    if dialect == "oracle":
        for statement in list(tree.find_all(exp.Select, exp.Update, exp.Delete)):
            _cut_by_rownum(statement)
    if dialect == "mysql":
        for values in tree.find_all(exp.Values):
            values.set("expressions", [_without_row(row) for row in values.expressions])
    if dialect == "sqlite":
        for moment in list(tree.find_all(exp.Date)):
            if isinstance(moment.parent, exp.EQ):
                moment.replace(exp.cast(moment.copy(), "text"))
    for start in list(tree.find_all(exp.StartsWith)):
        if not _has_wildcards(start.expression):
            anything = exp.DPipe(this=start.expression.copy(), expression=exp.Literal.string("%"))
            start.replace(exp.Like(this=start.this.copy(), expression=anything))
    for cast in tree.find_all(exp.Cast):
        length = lengths.get(cast.to.this) if not cast.to.expressions else None
        if length is not None:
            cast.to.set("expressions", [exp.DataTypeParam(this=exp.Literal.number(length))])
    return tree


def _without_row(row: exp.Expr) -> exp.Expr:
    (first, *others) = row.expressions or [row]
    is_row = isinstance(first, exp.Anonymous) and first.name.upper() == "ROW" and not others
    return exp.Tuple(expressions=[value.copy() for value in first.expressions]) if is_row else row


def _has_wildcards(start: exp.Expr) -> bool:
    """Does a constant hold what LIKE would take for a wildcard?  Of a column that cannot be told."""
    text = start.name if isinstance(start, exp.Literal) else ""
    return bool(start.find(exp.Column)) or bool({"%", "_", "\\"} & set(text))


def _cut_by_rownum(statement: exp.Expr) -> None:
    """Where rows are neither ordered, grouped nor counted, the first n of them are a LIMIT."""
    where = statement.args.get("where")
    if where is None or any(statement.args.get(clause) for clause in _AFTER_ROWNUM):
        return
    shown = statement.expressions if isinstance(statement, exp.Select) else []
    if any(part.find(exp.AggFunc, exp.Window) for part in shown):
        return
    conditions = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    cuts = [(condition, most) for condition in conditions if (most := _most_rows(condition)) is not None]
    if len(cuts) != 1:
        return
    ((cut, most),) = cuts
    rest = [condition for condition in conditions if condition is not cut]
    statement.set("where", exp.Where(this=exp.and_(*rest, copy=False)) if rest else None)
    statement.set("limit", exp.Limit(expression=most))


_AFTER_ROWNUM = ("order", "group", "having", "distinct", "limit", "offset", "connect")


def _most_rows(condition: exp.Expr) -> exp.Expr | None:
    """The n of ROWNUM <= n, ROWNUM < n + 1 and ROWNUM = 1."""
    column = condition.this
    if not (isinstance(column, exp.Column) and column.sql().upper() == "ROWNUM"):
        return None
    number = condition.expression
    match condition:
        case exp.LTE() if isinstance(number, exp.Literal | exp.Placeholder | exp.Parameter):
            return number.copy()
        case exp.LT() if isinstance(number, exp.Literal) and number.name.isdigit() and number.name != "0":
            return exp.Literal.number(int(number.name) - 1)
        case exp.EQ() if isinstance(number, exp.Literal) and number.name == "1":
            return number.copy()
        case _:
            return None


def _with_joined_texts(node: exp.Expr) -> exp.Expr:
    """A sum with a text in it; that of the sum's own parts is done when they are reached."""
    sides = (node.this, node.expression) if isinstance(node, exp.Add) else ()
    if any(isinstance(side, exp.Literal) and side.is_string for side in sides):
        return exp.DPipe(this=node.this, expression=node.expression)
    return node
