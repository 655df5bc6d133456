"""The example in the package's docstring runs and gives what it says."""

from __future__ import annotations

import doctest

import headwater.overload.joins


def test_the_example_of_the_package_runs() -> None:
    result = doctest.testmod(headwater.overload.joins)
    assert result.failed == 0
    assert result.attempted >= 5
