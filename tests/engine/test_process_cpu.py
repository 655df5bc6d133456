"""What a run's processes used is counted from their own counters, each second once."""

from __future__ import annotations

import subprocess
import sys
import time

from headwater.engine.run.process_cpu import HEADWATER, JVM, ProcessCpu, charge_whole_process

BUSY = "import time\nwhile time.process_time() < 0.2: pass\nprint('done', flush=True)\ninput()\n"


def work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_the_cpu_of_this_process_and_of_those_it_starts() -> None:
    cpu = ProcessCpu.begin()
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        work(0.1)
        spent = cpu.spent()
        child.communicate("\n")
    assert spent[HEADWATER] >= 0.05  # counters tick every hundredth of a second
    assert spent[JVM] >= 0.15
    assert cpu.spent()[JVM] < 0.15  # it has ended, and was counted


def test_a_process_that_comes_and_goes_between_two_readings_is_counted_once() -> None:
    cpu = ProcessCpu.begin()
    subprocess.run([sys.executable, "-c", BUSY], input="\n", stdout=subprocess.DEVNULL, text=True, check=True)
    assert cpu.spent()[JVM] >= 0.15
    assert cpu.spent()[JVM] < 0.15


def test_a_process_that_is_for_one_run_is_charged_whole_and_once() -> None:
    work(0.1)
    charge_whole_process()
    whole = ProcessCpu.begin().spent()[HEADWATER]
    assert whole >= 0.05
    assert ProcessCpu.begin().spent()[HEADWATER] < whole
