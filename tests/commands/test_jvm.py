"""``python -m pytest_delta_schema jvm``: which JVMs are kept, and how they are ended; the JVM is a small program."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema.backends.local.kept_jvm import HolderRecord, ask, private_folder, record_path, write_record
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.commands.cli import main
from support.catalogs.fake_jvm_holder import JVM_SECRET, holding

LEASE = {"want": "lease", "pid": 77, "seconds": 300}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("action", ["status", "stop"])
def test_without_a_kept_jvm_there_is_nothing_to_do(capsys, tmp_path, action):
    assert main(["jvm", action]) == 0
    assert capsys.readouterr() == ("no JVM is kept\n", "")

    private_folder()
    path = record_path(tmp_path)
    write_record(path, HolderRecord(folder=str(tmp_path), key="key", port=1, secret=Secret("of an ended holder")))
    assert main(["jvm", action]) == 0
    assert capsys.readouterr() == ("no JVM is kept\n", "")
    assert not path.exists()


def test_status_shows_each_jvm_without_its_secret(capsys, tmp_path):
    with holding(tmp_path / "a", 900) as idle, holding(tmp_path / "b") as used:
        channel, _ = ask(used.record, LEASE)

        code = main(["jvm", "status"])

        output = capsys.readouterr()
        channel.close()
    lines = sorted(output.out.splitlines())
    assert (code, output.err, len(lines)) == (0, "", 2)
    assert re.fullmatch(
        f"{tmp_path}/a: JVM with the process id {idle.process.pid}, 0 runs so far; idle for \\d s, ends in 8\\d\\d s"
        f"|{tmp_path}/a: JVM with the process id {idle.process.pid}, 0 runs so far; idle for 0 s, ends in 900 s",
        lines[0],
    )
    assert lines[1] == (
        f"{tmp_path}/b: JVM with the process id {used.process.pid}, 1 run so far; used by the run with the process id 77"
    )
    assert JVM_SECRET not in output.out


def test_stop_ends_those_that_no_run_uses(capsys, tmp_path):
    with holding(tmp_path / "a") as idle, holding(tmp_path / "b") as used:
        channel, _ = ask(used.record, LEASE)

        code = main(["jvm", "stop"])

        assert idle.process.poll() is not None
        assert used.process.poll() is None
        channel.close()
    assert code == 1
    assert capsys.readouterr() == (
        f"{tmp_path}/a: the JVM with the process id {idle.process.pid} was ended\n",
        f"error: {tmp_path}/b: the run with the process id 77 uses the JVM; end that run first\n",
    )


def test_a_record_that_others_can_read_is_a_fault(capsys, tmp_path):
    private_folder()
    path = record_path(tmp_path)
    path.write_text("{}")
    path.chmod(0o644)

    assert main(["jvm", "stop"]) == 1
    assert capsys.readouterr() == ("", f"error: other users have access to {path}; run rm {path}\n")


def test_a_file_that_is_no_record_is_left_out(capsys, tmp_path):
    private_folder()
    path = record_path(tmp_path)
    path.touch(mode=0o600)

    assert main(["jvm", "status"]) == 0
    assert capsys.readouterr().out == "no JVM is kept\n"
