"""Scripts run in a process of their own, are written into a folder, and their answers are compared."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.witness.runner import Runner, ScriptAnswer, is_confirmed, prepare_folder
from pytest_delta_schema.witness.script import FIRST_LINE


@pytest.fixture
def without_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))


def command(*arguments):
    called = [sys.executable, "-m", "pytest_delta_schema", "witness", *map(str, arguments)]
    answer = subprocess.run(called, capture_output=True, text=True, check=False)
    return answer.returncode, answer.stdout, answer.stderr


def test_a_script_that_cannot_be_read_is_one_line(tmp_path):
    path = f"{tmp_path}/none.py"
    remedy = "name a script that --delta-witness has written"

    assert command(path) == (1, "", f"error: {path} cannot be read: No such file or directory; {remedy}\n")


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


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_scripts_of_an_earlier_run_are_removed(tmp_path):
    (tmp_path / "dev.silver.orders").mkdir()
    (tmp_path / "dev.silver.orders" / "DC101-note-readers.py").write_text(f"{FIRST_LINE}x\n")

    prepare_folder(tmp_path)

    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("notes.txt", "x"),
        ("dev.silver.orders/notes.txt", FIRST_LINE),
        ("dev.silver.orders/job.py", "print()\n"),
    ],
)
def test_other_files_are_kept_and_refused(tmp_path, file, text):
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    known = files(tmp_path)

    with pytest.raises(ConfigurationError, match=r"holds files other than witnesses: .*; name a new folder"):
        prepare_folder(tmp_path)

    assert files(tmp_path) == known


def test_links_are_not_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "there")

    with pytest.raises(ConfigurationError, match="is not a folder; name a new one"):
        prepare_folder(tmp_path / "here")


SCRIPT = "# what it shows\nmake()\n\nread()\n"
WORKS, OTHER = ScriptAnswer(text="1"), ScriptAnswer(text="2")
FAILS = ScriptAnswer(text="[GONE] it is gone", failed=True, line=4)
NOT_MADE = ScriptAnswer(text="[REFUSED] no table", failed=True, line=2)
HANGS = ScriptAnswer(text="no answer within 60 s", failed=True)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (WORKS, FAILS, True),
        (WORKS, OTHER, True),
        (WORKS, WORKS, False),
        (FAILS, OTHER, False),
        (WORKS, NOT_MADE, False),
        (WORKS, HANGS, False),
    ],
    ids=["fails", "answers otherwise", "answers the same", "failed before", "no table", "hangs"],
)
def test_what_confirms_a_finding(before, after, expected):
    assert is_confirmed(SCRIPT, before, after) is expected
