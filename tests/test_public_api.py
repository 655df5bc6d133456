"""What `import headwater` offers: every name resolves, everything that methods take and return is named."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
import types
import typing
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import headwater
from headwater.cli.app import app

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", headwater.__all__)
def test_every_name_resolves(name: str) -> None:
    value = getattr(headwater, name)
    assert isinstance(value, str) if name == "__version__" else value.__name__ == name


def test_the_list_is_sorted_and_without_repetitions() -> None:
    assert headwater.__all__ == sorted(set(headwater.__all__))
    assert dir(headwater) == headwater.__all__


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = headwater.Nothing


def classes(annotation: object) -> Iterator[type]:
    """The classes of Headwater's that an annotation names, through tuples, callbacks and unions."""
    if isinstance(annotation, type) and annotation.__module__.startswith("headwater"):
        yield annotation
    for part in typing.get_args(annotation):
        for inner in part if isinstance(part, list) else [part]:
            yield from classes(inner)


def methods() -> list[tuple[str, types.FunctionType]]:
    members = inspect.getmembers(headwater.Headwater, inspect.isfunction)
    public = [(name, method) for name, method in members if not name.startswith("_")]
    return [("open", headwater.open), *public]


@pytest.mark.parametrize(("name", "method"), methods())
def test_what_a_method_takes_and_returns_is_exported(name: str, method: types.FunctionType) -> None:
    lazily = {known: getattr(headwater, known) for known in headwater.__all__}
    hints = typing.get_type_hints(method, localns=lazily)
    assert "return" in hints, f"{name} does not say what it returns"
    for annotation in hints.values():
        for wanted in classes(annotation):
            assert getattr(headwater, wanted.__name__, None) is wanted, f"{name}: {wanted} is not exported"


RESULTS = ("Status", "Bill", "Added", "Planned", "Appended", "Progress")


@pytest.mark.parametrize("result", RESULTS)
def test_the_records_of_a_result_are_exported(result: str) -> None:
    """Lists of records inside results, such as the views of a status."""
    for annotation in typing.get_type_hints(getattr(headwater, result)).values():
        if typing.get_origin(annotation) in (tuple, list, Sequence):
            for wanted in classes(annotation):
                assert getattr(headwater, wanted.__name__, None) is wanted, f"{result}: {wanted}"


def test_importing_headwater_is_light() -> None:
    check = (
        "import sys, headwater\n"
        "heavy = {'pyspark', 'pyarrow', 'deltalake', 'sqlglot', 'numpy', 'typer'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "import headwater.cli.app\n"
        "assert not {'pyarrow', 'duckdb'} & set(sys.modules)\n"
        "import headwater.api\n"
        "assert 'pyspark' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_the_version_stands_in_one_place() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in settings["project"]["dynamic"]
    assert "version" not in settings["project"]
    source = ROOT / settings["tool"]["hatch"]["version"]["path"]
    assert re.search(r'^__version__ = "(.+?)"', source.read_text(), re.MULTILINE)[1] == headwater.__version__  # type: ignore[index]


def test_the_command_knows_its_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"headwater {headwater.__version__}\n")
