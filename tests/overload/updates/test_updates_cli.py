"""`headwater simulate updates` and `headwater bench updates` as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.app import app
from headwater.errors import InputError
from support.overload.update_queues import run_append, run_queue

TRACE = "time,key\n0,a\n0.5,b\n1,a\n1.5,c\n1.5,b\n2.25,a\n4,c\n"


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    return path


def ask(*arguments: object) -> dict[str, object]:
    result = CliRunner().invoke(
        app, ["simulate", "updates", *map(str, arguments), "--json"], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    answer: dict[str, object] = json.loads(result.stdout)
    return answer


def rows() -> tuple[list[float], list[str]]:
    pairs = [line.split(",") for line in TRACE.splitlines()[1:]]
    return [float(at) for at, _ in pairs], [key for _, key in pairs]


@pytest.mark.parametrize("policy", ["fifo", "inplace"])
@pytest.mark.parametrize("cost", [0.5, 1.0, 2.0])
def test_the_answer_equals_the_oracle(trace_file: Path, policy: str, cost: float) -> None:
    answer = ask(trace_file, "--policy", policy, "--cost", cost, "--horizon", 6)
    times, keys = rows()
    application, queue, processed = run_queue(times, keys, cost, 6.0, policy)
    assert answer["application_staleness"] == pytest.approx(application)
    assert answer["queue_staleness"] == pytest.approx(queue)
    assert (answer["policy"], answer["processed"], answer["keys"]) == (policy, processed, 3)


def test_append_and_the_default_horizon(trace_file: Path) -> None:
    answer = ask(trace_file, "--policy", "append", "--cost", 1)
    times, keys = rows()
    assert answer["application_staleness"] == pytest.approx(run_append(times, keys, [True] * 7, 1.0, 4.0))
    assert answer["horizon"] == 4.0


def test_the_fields_of_the_contract(trace_file: Path) -> None:
    for policy in ("append", "shed", "fifo", "inplace", "linecut", "best"):
        answer = ask(trace_file, "--policy", policy, "--cost", 1)
        wanted = {
            "policy",
            "application_staleness",
            "queue_staleness",
            "processed",
            "skipped",
            "keys",
            "memory",
        }
        assert wanted <= set(answer)
        assert {"pages_peak", "bytes_peak", "effective_use"} <= set(answer["memory"])  # type: ignore[call-overload]


def test_windows_weights_and_a_plot(trace_file: Path, tmp_path: Path) -> None:
    for semantics in ("lazy", "eager"):
        answer = ask(trace_file, "--cost", 0.5, "--window", 2, "--slide", 1, "--semantics", semantics)
        assert answer["application_staleness"] > 0  # type: ignore[operator]
    weights = tmp_path / "weights.csv"
    weights.write_text("key,weight\na,10\n")
    answer = ask(trace_file, "--cost", 1, "--weights", weights, "--plot", tmp_path / "plot.svg")
    assert answer["weighted_staleness"] != answer["application_staleness"]
    assert "<svg" in (tmp_path / "plot.svg").read_text()[:400]


def test_keys_called_na_or_null_are_keys(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time,key\n0,NA\n1,null\n2,NA\n")
    assert ask(path, "--cost", 1)["keys"] == 2


WRONG = {
    "HW600": ("", ["--cost", "1"], "no file"),
    "HW601": ("time,kee\n1,a\n", ["--cost", "1"], 'no column "key"'),
    "HW602": ("", ["--cost", "1"], "is empty"),
    "HW602 header": ("time,key\n", ["--cost", "1"], "holds no updates"),
    "HW603": ("time,key\n2,a\n1,b\n", ["--cost", "1"], "goes back in line 3"),
    "HW604": ("time,key\nsoon,a\n", ["--cost", "1"], "cannot be read"),
    "HW604 negative": ("time,key\n-1,a\n", ["--cost", "1"], "below zero"),
    "HW604 key": ("time,key\n1,a\n2,\n", ["--cost", "1"], "no key in line 3"),
    "HW610": (TRACE, ["--cost", "1", "--policy", "bset"], "no policy"),
    "HW611": (TRACE, ["--cost", "-1"], "cannot be negative"),
    "HW612": (TRACE, ["--cost", "1", "--policy", "shed", "--keep", "2"], "between 0 and 1"),
    "HW613": (TRACE, ["--cost", "1", "--horizon", "0"], "above 0"),
    "HW631": (TRACE, ["--cost", "1", "--window", "2", "--slide", "3"], "above the window"),
    "HW633": (TRACE, ["--cost", "1", "--window", "2", "--semantics", "lzay"], "no window semantics"),
    "HW634": (TRACE, ["--cost", "1", "--slide", "3"], "needs --window"),
    "HW637": (TRACE, ["--cost", "1", "--window", "3", "--weights", "w.csv"], "does not apply"),
    "HW635": (TRACE, ["--cost", "1", "--window", "3", "--policy", "append"], "not one"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_gets_one_clear_message(case: str, tmp_path: Path) -> None:
    text, arguments, message = WRONG[case]
    path = tmp_path / "trace.csv"
    if case != "HW600":
        path.write_text(text)
    result = CliRunner().invoke(app, ["simulate", "updates", str(path), *arguments])
    assert isinstance(result.exception, InputError)
    assert result.exception.code == case[:5]
    assert message in str(result.exception)
    assert result.exception.exit_status == 2


@pytest.mark.cli
def test_wrong_input_exits_with_2_and_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time,key\n2,a\n1,b\n")
    command = [sys.executable, "-m", "headwater.cli.app", "simulate", "updates", str(path), "--cost", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("HW603: time goes back in line 3")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.cli
@pytest.mark.long
def test_the_bench_runs_quickly_and_writes_its_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_DATA", str(tmp_path))  # without the quotes: the bench must do without
    result = CliRunner().invoke(
        app, ["bench", "updates", "--quick", "--out", str(tmp_path / "out"), "--json"], catch_exceptions=False
    )
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert {"bars", "policies", "quotes", "throughput", "long_trace", "figures"} <= set(answer)
    drawn = {path.stem for path in (tmp_path / "out").glob("*.svg")}
    assert drawn == {f"figure_{number}" for number in (5, 7, 9, 13, 14, 16, 17)}
    met = {bar["bar"]: bar["met"] for bar in answer["bars"]}
    assert all(ok for name, ok in met.items() if "best" in name)
    figure = {panel["name"]: panel for panel in answer["figures"]}
    assert all(queue <= app_ for app_, queue in zip(*figure["figure_5b"]["lines"].values(), strict=True))
    naive, paged, _ = figure["figure_16a"]["lines"].values()
    assert all(pages > plain for plain, pages in zip(naive, paged, strict=True))
