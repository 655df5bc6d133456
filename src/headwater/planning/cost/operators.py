"""How long an operator takes inside an action: fixed + per tuple + per scanned row, on each site.

Figure 5 of the paper shows straight lines for all kinds, each with its own slope.  A `tuple` is a change that
passes through the operator (the larger of its input and its output; of a join, the output).  A `scanned` row
is one that must be read to find the partners of a change: a join reads its delta and what cannot be skipped
of the other relation (planning/facts/skipping.py), an aggregate its own groups, any other tail the relation
that it is computed from.

The paper charges every operator a fixed cost of its own.  In Spark most of it is paid once an action, however
many operators are in it: planning, scheduling, committing.  So an action has a fixed cost (`action`), and the
fixed part of an operator is what it adds to the action that it runs in.  The search for a plan uses those
parts alone; which stages share an action is decided afterwards (planning/stages/actions.py), and the
seconds of a push are predicted action by action (predictor.py).

The defaults are what `headwater calibrate` measured on two cores with a warm Spark, rounded (docs/plan.md),
except that a scanned row of a join counts as one with a text (the bench's users).  Copies and applies are
files committed without Spark, in milliseconds.  `calibrate` measures them on the machine at hand and writes
them as JSON.  A site may be faster or slower than that machine: seconds are divided by its speed.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace

from headwater.errors import InputError, did_you_mean
from headwater.planning.graph.graph import EdgeKind

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
    EdgeKind.JOIN: OperatorModel(0.04, 4e-6, 2e-7),
    EdgeKind.UNION: OperatorModel(0.02, 1e-7),
    EdgeKind.AGGREGATE: OperatorModel(0.12, 4e-6, 1.7e-7),
    EdgeKind.COMPUTE: OperatorModel(0.12, 6e-6, 8e-8),
    EdgeKind.APPLY: OperatorModel(0.002, 1e-8),
}
ACTION = 0.2


@dataclass(frozen=True, slots=True)
class Operators:
    """A model for every kind of edge, and how many times as fast each site is (1 by default).

    It remembers the fixed parts of stages that were worked out with it (stage_seconds.py).
    """

    models: Mapping[EdgeKind, OperatorModel] = field(default_factory=lambda: DEFAULTS)
    speeds: Mapping[str, float] = field(default_factory=dict)
    action: float = ACTION  # seconds of an action besides its operators
    fixed_parts: dict[Hashable, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def seconds(self, kind: EdgeKind, site: str, tuples: float, scanned: float = 0.0) -> float:
        return self.models[kind].seconds(tuples, scanned) / self.speeds.get(site, 1.0)

    def scaled(self, fixed: float, rows: float) -> Operators:
        """With all fixed costs multiplied by `fixed`, and all costs per row by `rows`."""
        models = {
            kind: OperatorModel(model.fixed * fixed, model.per_tuple * rows, model.per_scanned * rows)
            for kind, model in self.models.items()
        }
        return replace(self, models=models, action=self.action * fixed)

    def with_models(self, models: Mapping[EdgeKind, OperatorModel], action: float | None = None) -> Operators:
        """Some of the models replaced, the others as they are."""
        fixed = self.action if action is None else action
        return replace(self, models={**self.models, **models}, action=fixed)


OPERATORS = Operators()


def operators_to_json(operators: Operators) -> str:
    models = {kind.value: asdict(model) for kind, model in operators.models.items()}
    document = {"action": operators.action, "operators": models, "speeds": dict(operators.speeds)}
    return json.dumps(document, indent=2)


def operators_from_json(text: str) -> Operators:
    """What `operators_to_json` wrote. Kinds and numbers that are missing have their defaults."""
    try:
        document = json.loads(text)
        numbers = document.get("operators", {})
        models = {_kind(name): _model(_kind(name), given) for name, given in numbers.items()}
        speeds = {str(site): _number(speed) for site, speed in document.get("speeds", {}).items()}
        action = _number(document.get("action", ACTION))
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError("HW815", "this is no calibration of operators", detail=str(error)) from error
    if any(speed == 0 for speed in speeds.values()):
        raise InputError("HW815", "a site's speed is above 0: 1 is the calibrated machine's, 2 twice as fast")
    return Operators({**DEFAULTS, **models}, speeds, action)


def _kind(name: str) -> EdgeKind:
    try:
        return EdgeKind(name)
    except ValueError as error:
        hint = did_you_mean(name, [kind.value for kind in EdgeKind])
        raise InputError("HW815", f'there is no kind of edge "{name}"', hint=hint) from error


def _model(kind: EdgeKind, numbers: Mapping[str, object]) -> OperatorModel:
    names = {number.name for number in fields(OperatorModel)}
    for name in numbers:
        if name not in names:
            hint = did_you_mean(name, names)
            raise InputError("HW815", f'an operator has no number "{name}"', hint=hint)
    return replace(DEFAULTS[kind], **{name: _number(value) for name, value in numbers.items()})


def _number(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if not 0 <= number < float("inf"):
        raise ValueError(f"{value} is not a number of seconds or a speed")
    return number
