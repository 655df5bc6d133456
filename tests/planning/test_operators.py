"""Operator models and their JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InputError
from headwater.planning.cost.operators import (
    OPERATORS,
    OperatorModel,
    Operators,
    operators_from_json,
    operators_to_json,
)
from headwater.planning.graph.graph import EdgeKind
from support.cases import law

NUMBERS = st.floats(0.0, 1e6, allow_nan=False)
MODELS = st.builds(OperatorModel, NUMBERS, NUMBERS, NUMBERS)


def test_time_is_fixed_plus_tuples_plus_scanned_rows() -> None:
    assert OperatorModel(0.5, 0.01, 0.001).seconds(10, 100) == pytest.approx(0.7)
    assert OPERATORS.seconds(EdgeKind.COPY, "m1", 1_000_000) == pytest.approx(0.012)
    assert OPERATORS.seconds(EdgeKind.JOIN, "m1", 0, 7_000_000) == pytest.approx(1.44)


def test_every_kind_has_a_model_and_capture_is_free() -> None:
    assert set(OPERATORS.models) == set(EdgeKind)
    assert OPERATORS.seconds(EdgeKind.CAPTURE, "m1", 1e9) == 0.0


def test_a_faster_site_takes_less() -> None:
    fast = Operators(OPERATORS.models, {"m1": 4.0})
    assert fast.seconds(EdgeKind.JOIN, "m1", 100) * 4 == pytest.approx(fast.seconds(EdgeKind.JOIN, "m2", 100))


def test_some_models_are_replaced() -> None:
    changed = OPERATORS.with_models({EdgeKind.JOIN: OperatorModel(9.0)})
    assert changed.models[EdgeKind.JOIN].fixed == 9.0
    assert changed.models[EdgeKind.COPY] == OPERATORS.models[EdgeKind.COPY]
    assert OPERATORS.models[EdgeKind.JOIN].fixed != 9.0


@law(50)
@given(
    st.fixed_dictionaries(dict.fromkeys(EdgeKind, MODELS)),
    st.dictionaries(st.text(), st.floats(0.01, 100)),
)
def test_json_there_and_back(models: dict[EdgeKind, OperatorModel], speeds: dict[str, float]) -> None:
    operators = Operators(models, speeds)
    assert operators_from_json(operators_to_json(operators)) == operators


def test_what_json_does_not_name_has_its_default() -> None:
    operators = operators_from_json('{"operators": {"join": {"fixed": 2}}}')
    assert operators.models[EdgeKind.JOIN] == OperatorModel(2.0, 4e-6, 2e-7)
    assert operators.models[EdgeKind.APPLY] == OPERATORS.models[EdgeKind.APPLY]
    assert operators_from_json("{}") == OPERATORS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "no calibration"),
        ("[]", "no calibration"),
        ('{"operators": {"join": 3}}', "no"),
        (json.dumps({"operators": {"joins": {}}}), 'did you mean "join"'),
        (json.dumps({"operators": {"join": {"fixd": 1}}}), 'did you mean "fixed"'),
        (json.dumps({"operators": {"join": {"fixed": -1}}}), "-1"),
        (json.dumps({"operators": {"join": {"fixed": "soon"}}}), "soon"),
        (json.dumps({"speeds": {"m1": 0}}), "speed"),
    ],
)
def test_wrong_json_is_one_clear_error(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        operators_from_json(text)
    assert words in str(caught.value)
    assert caught.value.code == "HW815"
