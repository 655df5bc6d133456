"""SELECT to algebra: what a view's SELECT means, as a plan that can be kept incrementally.

The order of reading:

    translation     a view's tree in; a plan, its columns and types out, or the obstacles that leave none
    queries         any query: WITH, then select or sets; modifiers judges ORDER BY and LIMIT
    relations/      FROM: from_clause, joins, semi_joins (IN, EXISTS); scope says which column a name means
    groups/         items (the select list), windows, group_keys, grouping
    scalars/        expressions, which hands over to operators, calls, casts and literals; types, clashes
    passes/         pushing while the plan grows; pruning and cross_joins when it is whole

`notes` is what one translation gathers, `env` what a query may see around it, `names` what nobody named.
"""

from headwater.sql.translate.translation import Translated, translate

__all__ = ["Translated", "translate"]
