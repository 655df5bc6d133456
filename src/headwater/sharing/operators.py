"""How long an edge takes: fixed + per tuple + per scanned row, for each kind of edge, on each site.

Figure 5 of the paper shows straight lines for all kinds, each with its own slope.  A `tuple` is a change that
goes through the edge (the larger of what comes in and what goes out; of a join what comes out); a `scanned`
row is one that must be read to find the partners of a change: a join reads its delta and, of the relation
beside it, what cannot be skipped (skipping.py), an aggregate its own groups, any other tail the relation that
it is computed from.

The defaults are what `headwater calibrate` measured on two cores with a warm Spark, rounded (docs/plan.md),
except that a scanned row of a join counts as one with a text (the bench's users).  A Spark action has a floor
of a quarter of a second, while copies and applies are files committed without Spark, in milliseconds.
`calibrate` measures them on the machine at hand and writes them as JSON.  A site may be faster or slower than
that machine: its speed divides.

In this model, as in the paper's, every edge pays its fixed cost.  The engine does better: it pushes all edges
of one level at one site in one Spark action, so a plan's critical path is an upper estimate: the safe side
for admission.  Once there are pushes, serve/corrections.py brings it down to what they took.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace

from headwater.errors import InputError, did_you_mean
from headwater.sharing.graph import EdgeKind

__all__ = ["OPERATORS", "OperatorModel", "Operators", "operators_from_json", "operators_to_json"]


@dataclass(frozen=True, slots=True)
class OperatorModel:
    """Seconds."""

    fixed: float
    per_tuple: float = 0.0
    per_scanned: float = 0.0

    def seconds(self, tuples: float, scanned: float = 0.0) -> float:
        return self.fixed + self.per_tuple * tuples + self.per_scanned * scanned


DEFAULTS: Mapping[EdgeKind, OperatorModel] = {
    EdgeKind.CAPTURE: OperatorModel(0.0),  # the source has done it when the plan begins
    EdgeKind.COPY: OperatorModel(0.002, 1e-8),
    EdgeKind.JOIN: OperatorModel(0.25, 4e-6, 2e-7),
    EdgeKind.UNION: OperatorModel(0.08, 1e-7),
    EdgeKind.AGGREGATE: OperatorModel(0.45, 4e-6, 1.7e-7),
    EdgeKind.COMPUTE: OperatorModel(0.4, 6e-6, 8e-8),
    EdgeKind.APPLY: OperatorModel(0.002, 1e-8),
}


@dataclass(frozen=True, slots=True)
class Operators:
    """A model for every kind of edge, and how many times as fast each site is (1 if not said)."""

    models: Mapping[EdgeKind, OperatorModel] = field(default_factory=lambda: DEFAULTS)
    speeds: Mapping[str, float] = field(default_factory=dict)

    def seconds(self, kind: EdgeKind, site: str, tuples: float, scanned: float = 0.0) -> float:
        return self.models[kind].seconds(tuples, scanned) / self.speeds.get(site, 1.0)

    def with_models(self, models: Mapping[EdgeKind, OperatorModel]) -> Operators:
        """Some of the models replaced, the others as they are."""
        return replace(self, models={**self.models, **models})


OPERATORS = Operators()


def operators_to_json(operators: Operators) -> str:
    models = {kind.value: asdict(model) for kind, model in operators.models.items()}
    return json.dumps({"operators": models, "speeds": dict(operators.speeds)}, indent=2)


def operators_from_json(text: str) -> Operators:
    """What `operators_to_json` wrote. Kinds and numbers that are not named have their defaults."""
    try:
        found = json.loads(text)
        models = {_kind(name): _model(_kind(name), one) for name, one in found.get("operators", {}).items()}
        speeds = {str(site): _number(speed) for site, speed in found.get("speeds", {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError("HW301", "this is no calibration of operators", detail=str(error)) from error
    if any(speed == 0 for speed in speeds.values()):
        raise InputError("HW301", "a site's speed is above 0: 1 is the calibrated machine's, 2 twice as fast")
    return Operators({**DEFAULTS, **models}, speeds)


def _kind(name: str) -> EdgeKind:
    try:
        return EdgeKind(name)
    except ValueError as error:
        hint = did_you_mean(name, [kind.value for kind in EdgeKind])
        raise InputError("HW301", f'there is no kind of edge "{name}"', hint=hint) from error


def _model(kind: EdgeKind, found: Mapping[str, object]) -> OperatorModel:
    known = {one.name for one in fields(OperatorModel)}
    for name in found:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InputError("HW301", f'an operator has no number "{name}"', hint=hint)
    return replace(DEFAULTS[kind], **{name: _number(value) for name, value in found.items()})


def _number(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if not 0 <= number < float("inf"):
        raise ValueError(f"{value} is not a number of seconds or a speed")
    return number
