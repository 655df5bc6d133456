"""What a push is expected to do: a delta holds the net change."""

from __future__ import annotations

import pytest

from headwater.planning.cost.effort import Effort
from headwater.planning.stages.expected import Flow

CUSTOMERS = Flow(20.0, 10.0)
ORDERS = Flow(10.0, 100_000.0)
NAMED = Flow(200_010.0, 100_000.0, 0.0, (ORDERS, CUSTOMERS))  # a customer has ten thousand orders


def test_a_short_push_makes_every_change() -> None:
    assert NAMED.effort(0.1) == Effort(3, 0, 20_001)


def test_a_long_push_makes_at_most_the_net_change() -> None:
    """Every order goes once and comes back once, and what was read may add to them."""
    assert NAMED.effort(24.0) == Effort(720, 0, 200_720)


def test_what_is_read_is_the_net_change_too() -> None:
    above = Flow(400_020.0, 50.0, 0.0, (NAMED,))
    assert above.effort(24.0).changed == NAMED.effort(24.0).result


def test_changes_of_sources_are_as_many_as_arrive() -> None:
    assert CUSTOMERS.made(1_000.0) == pytest.approx(20_000.0)
