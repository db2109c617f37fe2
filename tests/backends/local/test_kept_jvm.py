"""A run gets the kept JVM of its folder, or one that is started for it; the JVM is a small program here."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pytest_delta_schema.backends.local import kept_jvm
from pytest_delta_schema.backends.local.kept_jvm import (
    HolderGoneError,
    HolderRecord,
    NotKeptError,
    ask,
    end_of,
    lease,
    private_folder,
    read_record,
    record_path,
    record_paths,
    write_record,
)
from pytest_delta_schema.backends.secret import Secret
from support.fake_jvm_holder import ENDS_WITH_ITS_INPUT, IGNORES_ITS_INPUT, JVM_SECRET, holding

HOLDER = """
import subprocess, sys
from pytest_delta_schema.backends.local import jvm_holder as holder
from pytest_delta_schema.backends.secret import Secret

def start_jvm(conf):
    print("started with", conf, flush=True)
    process = subprocess.Popen([sys.executable, "-c", {program!r}], stdin=subprocess.PIPE)
    return holder.HeldJvm(process=process, port=4040, secret=Secret({secret!r}))

holder.start_jvm = start_jvm
holder.main()
"""


@pytest.fixture(autouse=True)
def holders(tmp_path, monkeypatch):
    """Let leases start small programs, and end them after the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]), prepend=os.pathsep)
    monkeypatch.setattr(kept_jvm, "_PROGRAM", HOLDER.format(program=ENDS_WITH_ITS_INPUT, secret=JVM_SECRET))
    yield
    for path in record_paths():
        record = read_record(path)
        assert record is not None
        end_of(record)


def leased(folder, key="key"):
    return lease(folder, key, 600, lambda: {"spark.master": "local[1]"})


def jvm_of(folder):
    record = read_record(record_path(folder))
    assert record is not None
    channel, status = ask(record, {"want": "status"})
    channel.close()
    return status["jvm"]


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_second_run_gets_the_jvm_of_the_first_one(tmp_path):
    first = leased(tmp_path)
    process = jvm_of(tmp_path)
    assert (first.port, first.secret.reveal(), first.is_new, first.is_alive) == (4040, JVM_SECRET, True, True)
    first.give_back()

    second = leased(tmp_path)

    assert (second.port, second.is_new, jvm_of(tmp_path)) == (4040, False, process)
    second.give_back()


def test_the_log_is_private_and_shows_no_secret(tmp_path):
    leased(tmp_path).give_back()

    log = record_path(tmp_path).with_suffix(".log")
    assert (log.read_text(), stat.S_IMODE(log.stat().st_mode)) == ("started with {'spark.master': 'local[1]'}\n", 0o600)


def test_only_one_run_uses_it(tmp_path):
    first = leased(tmp_path)

    with pytest.raises(NotKeptError, match=r"^another run in this folder uses the kept JVM$"):
        leased(tmp_path)

    other = leased(tmp_path / "..")
    other.give_back()
    first.give_back()


def test_a_run_whose_lock_is_gone_uses_it_alone_all_the_same(tmp_path):
    first = leased(tmp_path)
    first.lock.release()

    for key in ("key", "other key"):
        with pytest.raises(NotKeptError, match=f"^the run with the process id {os.getpid()} uses the kept JVM$"):
            leased(tmp_path, key)

    assert first.is_alive
    first.give_back()


def test_another_key_ends_the_jvm_and_starts_another_one(tmp_path):
    leased(tmp_path).give_back()
    process = jvm_of(tmp_path)

    second = leased(tmp_path, "other key")

    assert second.is_new
    assert not is_running(process)
    assert jvm_of(tmp_path) != process
    second.give_back()


def test_a_discarded_jvm_has_ended_and_the_next_run_starts_another_one(tmp_path):
    first = leased(tmp_path)
    process = jvm_of(tmp_path)

    first.discard()

    assert not is_running(process)
    third = leased(tmp_path)
    assert third.is_new
    third.give_back()


def test_a_jvm_that_was_killed_is_seen_and_replaced(tmp_path):
    first = leased(tmp_path)
    os.kill(jvm_of(tmp_path), 9)
    with pytest.raises(ConnectionResetError):
        first.channel.receive()
    first.give_back()

    second = leased(tmp_path)

    assert second.is_new
    second.give_back()


def test_the_jvm_of_a_killed_holder_ends_and_its_record_is_replaced(tmp_path):
    first = leased(tmp_path)
    process = jvm_of(tmp_path)
    holder = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    first.give_back()
    os.kill(holder, 9)

    second = leased(tmp_path)

    assert second.is_new
    assert jvm_of(tmp_path) != process
    second.give_back()


def test_a_stale_record_whose_port_another_program_has_is_replaced(tmp_path):
    private_folder()
    with holding(tmp_path / "other") as other:
        port = other.record.port
        record = HolderRecord(folder=str(tmp_path), key="key", port=port, secret=Secret("of an ended holder"))
        write_record(record_path(tmp_path), record)

        first = leased(tmp_path)

        assert first.is_new
        first.give_back()
        with pytest.raises(HolderGoneError):
            ask(record, {"want": "status"})


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("raise SystemExit('no Java')", "the JVM did not start; look at {log}"),
        (HOLDER.format(program="", secret=JVM_SECRET).replace("holder.main()", "print('ready', file=sys.__stdout__)"),
         "the JVM ended at once; look at {log}"),
    ],
    ids=["no start", "short life"],
)  # fmt: skip
def test_a_jvm_that_does_not_start_is_reported_with_its_log(tmp_path, monkeypatch, program, message):
    monkeypatch.setattr(kept_jvm, "_PROGRAM", program)

    with pytest.raises(NotKeptError) as caught:
        leased(tmp_path)

    log = record_path(tmp_path).with_suffix(".log")
    assert str(caught.value) == message.replace("{log}", str(log))
    monkeypatch.setattr(kept_jvm, "_PROGRAM", HOLDER.format(program=ENDS_WITH_ITS_INPUT, secret=JVM_SECRET))
    leased(tmp_path).give_back()


def test_files_that_cannot_be_written_are_one_line(tmp_path):
    log = record_path(tmp_path).with_suffix(".log")
    (private_folder() / log.name).mkdir()

    with pytest.raises(NotKeptError, match=f"^the folder {log.parent} cannot be used: "):
        leased(tmp_path)

    log.rmdir()
    leased(tmp_path).give_back()


def test_ctrl_c_during_the_start_leaves_no_process(tmp_path, monkeypatch):
    started = []

    def interrupted(holder, _order):
        started.append(holder)
        raise KeyboardInterrupt

    monkeypatch.setattr(kept_jvm, "_PROGRAM", IGNORES_ITS_INPUT)
    monkeypatch.setattr(kept_jvm, "_ordered", interrupted)

    with pytest.raises(KeyboardInterrupt):
        leased(tmp_path)

    (holder,) = started
    assert holder.poll() is not None
    assert holder.returncode == -9
    for pipe in (holder.stdin, holder.stdout):
        pipe.close()
