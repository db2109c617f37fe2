"""Programs that run for a short time, and what interrupts them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_delta_schema.backends.local.launch import Result, run

SHORT = [sys.executable, "-c", "import sys; sys.stderr.write('17'); sys.exit(3)"]


def test_the_answer_of_a_program():
    assert run(SHORT, 60) == Result(3, "17")


def test_an_interruption_is_not_lost_if_the_program_has_just_ended(monkeypatch):
    def communicate(process: subprocess.Popen[bytes], **_: object) -> None:
        process.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", communicate)

    with pytest.raises(KeyboardInterrupt):
        run(SHORT, 60)


def test_a_program_that_is_interrupted_is_killed(monkeypatch):
    processes = []

    def communicate(process: subprocess.Popen[bytes], **_: object) -> None:
        processes.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", communicate)

    with pytest.raises(KeyboardInterrupt):
        run([sys.executable, "-c", "import time; time.sleep(600)"], 60)

    assert [process.returncode for process in processes] == [-9]
