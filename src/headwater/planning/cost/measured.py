"""Operators from measurements: what each kind takes by itself, and what stages cost in company.

Measured by itself, an operator pays for its action.  The line through actions of one stage and several tells
what an action costs and what a stage adds to it; what a join adds in company, compared with what it takes
beyond its action when it is alone, is taken to hold for the other kinds, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.planning.cost.fitting import Fit
from headwater.planning.cost.operators import OPERATORS, OperatorModel, Operators
from headwater.planning.graph.graph import EdgeKind

__all__ = ["measured_operators"]

IN_ACTIONS = {EdgeKind.JOIN, EdgeKind.AGGREGATE, EdgeKind.COMPUTE}
HALVES = 2  # of a join: what it adds to an action is shared by the changes of both sides


def measured_operators(fits: Mapping[str, Fit]) -> Operators:
    """`fits` by kind of edge, and of "action" by the number of stages; unusable ones leave the defaults."""
    usable = {kind: fit for kind, fit in fits.items() if fit.is_usable}
    action, a_join = OPERATORS.action, HALVES * OPERATORS.models[EdgeKind.JOIN].fixed
    if "action" in usable:
        action, a_join = usable["action"].fixed, usable["action"].per_tuple
    alone = max(usable["join"].fixed - action, 1e-6) if "join" in usable else a_join
    in_company = min(1.0, a_join / alone) if alone else 1.0

    def fixed(kind: EdgeKind, fit: Fit) -> float:
        if kind is EdgeKind.JOIN:
            return a_join / HALVES
        return max(0.0, fit.fixed - action) * in_company if kind in IN_ACTIONS else fit.fixed

    models = {
        kind: OperatorModel(fixed(kind, fit), fit.per_tuple, fit.per_scanned)
        for kind, fit in ((EdgeKind(name), fit) for name, fit in usable.items() if name != "action")
    }
    return OPERATORS.with_models(models, action)
