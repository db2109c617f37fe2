"""Scripts run in a process of their own: what is said without Java, and if one hangs or ends it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest

from pytest_delta_schema.witness.runner import Runner, ScriptAnswer


@pytest.fixture
def without_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))


@pytest.mark.usefixtures("without_java")
def test_without_java_nothing_runs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print(1)\n")

    with Runner() as runner:
        assert runner.answers(script) is None
        assert "Java" in runner.fault
        assert "\n" not in runner.fault
        assert runner.answers(script) is None


def command(*arguments):
    called = [sys.executable, "-m", "pytest_delta_schema", "witness", *map(str, arguments)]
    answer = subprocess.run(called, capture_output=True, text=True, check=False)
    return answer.returncode, answer.stdout, answer.stderr


@pytest.mark.parametrize(
    ("name", "reason"),
    [("none.py", "No such file or directory"), (".", "Is a directory"), ("binary.py", "it is not text")],
)
def test_a_script_that_cannot_be_read_is_one_line(name, reason, tmp_path):
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe")
    path = f"{tmp_path}/{name}"

    assert command(path) == (
        1,
        "",
        f"error: {path} cannot be read: {reason}; name a script that --delta-witness has written\n",
    )


@pytest.mark.usefixtures("without_java")
def test_the_command_without_java_is_one_line(tmp_path):
    (tmp_path / "script.py").touch()

    code, out, err = command(tmp_path / "script.py")

    assert (code, out) == (1, "")
    assert "was not run: " in err
    assert err.count("\n") == 1


@pytest.mark.spark
@pytest.mark.own_jvm
def test_a_script_that_hangs_or_ends_its_process_stops_nothing_else(tmp_path):
    (tmp_path / "hangs.py").write_text("import time\nprint('begun')\ntime.sleep(1000)\n")
    (tmp_path / "ends.py").write_text("import os\nos._exit(3)\n")
    (tmp_path / "works.py").write_text("import sys\nprint(sys.argv[1])\n")
    (tmp_path / "fails.py").write_text("import sys\nif sys.argv[1] == 'after':\n    sys.exit('gone')\nprint('there')\n")

    with Runner(limit=3) as runner:
        works = runner.answers(tmp_path / "works.py")
        child = runner._process.pid
        fails = runner.answers(tmp_path / "fails.py")
        hangs = runner._answer(tmp_path / "hangs.py", "before")
        ends = runner._answer(tmp_path / "ends.py", "before")

    assert works == (ScriptAnswer(text="before"), ScriptAnswer(text="after"))
    assert fails == (ScriptAnswer(text="there"), ScriptAnswer(text="SystemExit: gone", failed=True, line=3))
    assert hangs == ScriptAnswer(text="no answer within 3 s", failed=True)
    assert ends == ScriptAnswer(text="the process that ran it has ended", failed=True)
    with pytest.raises(ProcessLookupError):
        os.killpg(child, 0)


@pytest.mark.spark
@pytest.mark.own_jvm
def test_the_command_says_that_nothing_is_confirmed(tmp_path):
    (tmp_path / "script.py").write_text("import sys\nassert sys.argv[1] == 'before', 'no table'\n\nprint('read')\n")

    code, out, _ = command(tmp_path / "script.py")

    assert (code, out) == (1, "before: read\nafter: fails: AssertionError: no table\nnot confirmed\n")


@pytest.mark.spark
@pytest.mark.own_jvm
def test_nothing_is_left_of_a_run(tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (tmp_path / "works.py").write_text("import sys\nopen(sys.argv[2], 'w').close()\nprint('made')\n")

    with Runner() as runner:
        assert runner.answers(tmp_path / "works.py") == (ScriptAnswer(text="made"), ScriptAnswer(text="made"))
        child = runner._process

    assert child.returncode == 0
    assert [*temporary.iterdir()] == []
