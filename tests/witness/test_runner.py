"""Scripts run in a process of their own, are written into a folder, and their answers are compared."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest

from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.diagnostics.faults import Witness
from pytest_delta_schema.witness.runner import Runner, ScriptAnswer, is_confirmed, other_delta, prepare_folder
from pytest_delta_schema.witness.script import FIRST_LINE


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


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_new_folder_is_made(tmp_path):
    prepare_folder(tmp_path / "a" / "b")

    assert files(tmp_path) == ["a", "a/b"]


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
        ("dev.silver.orders/a/b.py", FIRST_LINE),
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


def test_many_files_are_counted(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.txt").touch()

    with pytest.raises(ConfigurationError, match=r"0.txt, 1.txt, 2.txt and 2 more; name"):
        prepare_folder(tmp_path)


def test_links_are_not_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "there")

    with pytest.raises(ConfigurationError, match="is not a folder; name a new one"):
        prepare_folder(tmp_path / "here")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").touch()

    with pytest.raises(ConfigurationError, match="is not a folder"):
        prepare_folder(tmp_path / "x")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        prepare_folder(tmp_path / "x" / "y")


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
        (ScriptAnswer(text="x" * 999 + "1"), ScriptAnswer(text="x" * 999 + "2"), True),
        (WORKS, WORKS, False),
        (FAILS, OTHER, False),
        (WORKS, NOT_MADE, False),
        (WORKS, HANGS, False),
    ],
    ids=["fails", "answers otherwise", "differs at the end", "answers the same", "failed before", "no table", "hangs"],
)
def test_what_confirms_a_finding(before, after, expected):
    assert is_confirmed(SCRIPT, before, after) is expected


def test_a_script_of_somebody_else_has_no_lines_that_make_its_table():
    assert is_confirmed("make()\nread()\n", WORKS, NOT_MADE)


@pytest.mark.parametrize(
    ("answer", "text"), [(WORKS, "1"), (FAILS, "fails: [GONE] it is gone"), (ScriptAnswer(text=""), "prints nothing")]
)
def test_an_answer_as_text(answer, text):
    assert str(answer) == text


def test_a_long_answer_is_cut():
    assert len(str(ScriptAnswer(text="x" * 10_000))) < 400


def test_verdicts_are_those_of_the_pinned_delta():
    assert other_delta("4.4.0") == ""


@pytest.mark.parametrize(
    ("witness", "text"),
    [
        (Witness(result="confirmed", file="w/t/a.py", before="1", after="2"), "witness w/t/a.py: confirmed"),
        (
            Witness(result="not confirmed", file="w/t/a.py", before="1", after="1"),
            "witness w/t/a.py: not confirmed, a defect of pytest-delta-schema that can be reported: before: 1; after: 1",
        ),
        (
            Witness(result="not confirmed", file="w/t/a.py", before="1", after="1", reason=other_delta("3.3.3")),
            "witness w/t/a.py: not confirmed, as verdicts are those of Delta 4.4, and not of 3.3.3: before: 1; after: 1",
        ),
        (Witness(result="not run", file="w/t/a.py", reason="no Java"), "witness w/t/a.py: not run: no Java"),
        (Witness(result="no witness", reason="no key is enforced"), "no witness: no key is enforced"),
    ],
    ids=["confirmed", "not confirmed", "another Delta", "not run", "no witness"],
)
def test_a_witness_in_one_line(witness, text):
    assert witness.fact == text
