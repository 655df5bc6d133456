"""What other dialects have and Spark does not, written as what it has.

Views are translated, and run by Spark where they are recomputed, in these forms; the user's text stays as it
was written.  Each form replaces one kind of node and leaves the parts of it, which know their places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from sqlglot import exp

from headwater.model import SqlText
from headwater.sql.parsing.dialect import Headwater
from headwater.sql.parsing.forms.arrays import array_in_brackets
from headwater.sql.parsing.forms.distinct_on import first_rows
from headwater.sql.parsing.forms.exists_of_unions import exists_of_parts
from headwater.sql.parsing.forms.frames import in_one_unit
from headwater.sql.parsing.forms.grouped_subqueries import with_subqueries_as_keys
from headwater.sql.parsing.forms.having_without_groups import condition_of_one_group
from headwater.sql.parsing.forms.lateral_values import lateral_values
from headwater.sql.parsing.forms.one_group import one_group_of_all
from headwater.sql.parsing.forms.ordered_lists import nulls_after, ordered_list
from headwater.sql.parsing.forms.quantified import quantified
from headwater.sql.parsing.parser import parse_select, select_tree

__all__ = ["spark_text_of", "spark_tree"]

Form = Callable[[exp.Expr], exp.Expr | None]
_FORMS: tuple[Form, ...] = (
    first_rows, array_in_brackets, quantified, ordered_list, nulls_after, in_one_unit, exists_of_parts,
    condition_of_one_group, lateral_values,
)  # fmt: skip
_TEXT_ALONE: tuple[Form, ...] = (with_subqueries_as_keys, one_group_of_all)
_GAP = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"
# Most texts hold none of these words: their trees are not looked at.
_SIGNS = re.compile(
    rf"\bDISTINCT{_GAP}+ON\b|\b(?:ANY|SOME|ALL){_GAP}*\(|\b(?:array_agg|collect_list|string_agg|listagg)\b"
    rf"|\bNULLS{_GAP}*\)|\bARRAY{_GAP}*\[|\bRANGE{_GAP}+BETWEEN\b"
    rf"|\bHAVING\b|\bLATERAL{_GAP}*\({_GAP}*VALUES\b",
    re.IGNORECASE | re.DOTALL,
)

_EXISTS, _UNION = re.compile(r"\bEXISTS\b", re.IGNORECASE), re.compile(r"\bUNION\b", re.IGNORECASE)

# The tree is the same, but Spark has no such words: types of other systems, FETCH FIRST, GROUP BY ().
_FOREIGN_WORDS = re.compile(
    rf"(?:::|\bAS\b){_GAP}*(?:TEXT|INT[1248]|FLOAT[48]|BOOL|TIMESTAMPTZ|BYTEA|UUID|DOUBLE{_GAP}+PRECISION"
    rf"|CHARACTER|(?:VAR)?CHAR\b(?!{_GAP}*\()|TIMESTAMP{_GAP}+WITH)\b"
    rf"|\bINTERVAL{_GAP}*(?:'[^']*'|\d+){_GAP}*[a-z]+{_GAP}*\({_GAP}*\d+{_GAP}*\)"
    rf"|\bFETCH{_GAP}+(?:FIRST|NEXT)\b|\bGROUP{_GAP}+BY{_GAP}*\({_GAP}*\)",
    re.IGNORECASE | re.DOTALL,
)
_GROUPED = re.compile(rf"\({_GAP}*SELECT\b.*\bGROUP{_GAP}+BY\b", re.IGNORECASE | re.DOTALL)


def spark_tree(sql: SqlText) -> exp.Expr:
    """The tree of a SELECT in forms that Spark has."""
    tree = select_tree(sql)
    return _rewritten(tree, _FORMS) if _has_signs(sql.text) else tree


def _has_signs(text: str) -> bool:
    """May it hold what is rewritten?  In time that grows with the text alone: it may be long."""
    unions = _EXISTS.search(text) is not None and _UNION.search(text) is not None
    return unions or _SIGNS.search(text) is not None


def _rewritten(tree: exp.Expr, forms: tuple[Form, ...]) -> exp.Expr:
    """The tree in these forms; itself, if it is in them already."""
    rewritten = tree.copy()
    changed = False
    for node in reversed(list(rewritten.walk(bfs=True))):
        replacement = next((made for form in forms if (made := form(node)) is not None), None)
        if replacement is None:
            continue
        changed = True
        replacement.meta.update(node.meta)
        if node is rewritten:
            rewritten = replacement
        else:
            node.replace(replacement)
    return rewritten if changed else tree


@lru_cache(maxsize=500)
def spark_text_of(text: str) -> str:
    """A SELECT's text in forms that Spark has."""
    foreign = _FOREIGN_WORDS.search(text) is not None
    if not _has_signs(text) and _GROUPED.search(text) is None and not foreign:
        return text
    sql = parse_select(SqlText(text))
    tree = _rewritten(spark_tree(sql), _TEXT_ALONE)
    return text if tree is sql.tree and not foreign else tree.sql(dialect=Headwater())
