"""SELECT to algebra: what a view's text means, as a plan that can be kept incrementally.

The order of reading: verbatim (text to tree), queries, select, from_clause, joins, subqueries, windows,
grouping, sets (tree to plan), expressions, calls, operators (scalar parts), pruning and cross_joins (last).
"""

from headwater.sql.translate.translation import Translated, translate

__all__ = ["Translated", "translate"]
