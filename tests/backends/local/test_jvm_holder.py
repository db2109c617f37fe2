"""The holder of a kept JVM lends it to one run at a time, and ends one that a run has not given back."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Thread

import pytest

from pytest_delta_schema.backends.local import jvm_holder, kept_jvm
from pytest_delta_schema.backends.local.kept_jvm import (
    HOST,
    Channel,
    HolderGoneError,
    HolderRecord,
    ask,
    end_of,
    write_record,
)
from pytest_delta_schema.backends.secret import Secret
from support.fake_jvm_holder import IGNORES_ITS_INPUT, JVM_SECRET, holding

LEASE = {"want": "lease", "pid": 77, "seconds": 600}
STATUS = {"want": "status"}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_one_run_at_a_time_gets_the_jvm(tmp_path):
    with holding(tmp_path) as held:
        channel, answer = ask(held.record, LEASE)
        assert answer == {"port": 4040, "secret": JVM_SECRET}

        for request in (LEASE, STATUS, {"want": "stop"}, {"want": "nothing"}, {}):
            other, status = ask(held.record, request)
            other.close()
            assert (status["run"], status["idle"], status["jvm"]) == (77, None, held.process.pid)
            assert "secret" not in status

        channel.send("give back")
        channel.close()
        last, again = ask(held.record, {**LEASE, "pid": 78})
        last.close()
        assert again["port"] == 4040


def test_a_run_that_ends_without_a_word_leaves_no_jvm(tmp_path):
    with holding(tmp_path) as held:
        channel, _ = ask(held.record, LEASE)
        channel.close()
        held.wait()


@pytest.mark.parametrize("program", ["import sys; sys.stdin.read()", IGNORES_ITS_INPUT], ids=["ends", "hangs"])
def test_a_jvm_that_is_discarded_has_ended_when_the_run_goes_on(tmp_path, program):
    with holding(tmp_path, program=program) as held:
        channel, _ = ask(held.record, LEASE)

        channel.send("discard")
        with pytest.raises(ConnectionResetError):
            channel.receive()

        assert held.process.poll() is not None
        channel.close()


def test_a_jvm_that_is_idle_for_too_long_is_ended(tmp_path):
    with holding(tmp_path, seconds=0.01) as held:
        held.wait()
        with pytest.raises(HolderGoneError):
            ask(held.record, STATUS)


def test_a_jvm_that_is_used_is_not_idle(tmp_path):
    with holding(tmp_path) as held:
        channel, _ = ask(held.record, {**LEASE, "seconds": 0.01})
        for _ in range(2):
            other, status = ask(held.record, STATUS)
            other.close()
            assert status["run"] == 77
        channel.send("give back")
        held.wait()
        channel.close()


def test_a_holder_ends_with_its_jvm(tmp_path):
    with holding(tmp_path) as held:
        channel, _ = ask(held.record, LEASE)
        held.process.kill()
        held.wait()
        with pytest.raises(ConnectionResetError):
            channel.receive()
        channel.close()


def test_a_jvm_is_stopped_on_request(tmp_path):
    with holding(tmp_path) as held:
        status = end_of(held.record)

        assert (status["run"], status["runs"], status["seconds"]) == (None, 0, 600)
        assert held.process.poll() is not None


def test_a_program_without_the_secret_gets_nothing(tmp_path):
    with holding(tmp_path) as held:
        wrong = HolderRecord(folder="", key="key", port=held.record.port, secret=Secret("wrong"))
        with pytest.raises(HolderGoneError):
            ask(wrong, LEASE)
        for lines in (b"\n\n", b"\xff\n\xff lease\n", b"x" * 70000 + b"\n\n", b""):
            with socket.create_connection((HOST, held.record.port)) as connection:
                connection.settimeout(30)
                connection.sendall(lines)
                connection.shutdown(socket.SHUT_WR)
                answer = Channel(connection)
                with pytest.raises(OSError, match=r"ended|reset"):
                    received(answer)

        channel, status = ask(held.record, STATUS)
        channel.close()
        assert status["runs"] == 0


@pytest.mark.parametrize("sent", [b"", b"run\n"], ids=["first line", "second line"])
def test_a_program_that_sends_byte_by_byte_does_not_block_the_holder(tmp_path, monkeypatch, sent):
    monkeypatch.setattr(jvm_holder, "_HANDSHAKE", 0.5)
    over = Event()

    def drip(connection):
        with suppress(OSError):
            connection.sendall(sent)
            while not over.wait(0.05):
                connection.sendall(b"x")

    with holding(tmp_path) as held, socket.create_connection((HOST, held.record.port)) as connection:
        thread = Thread(target=drip, args=[connection], daemon=True)
        thread.start()
        try:
            status = end_of(held.record)
        finally:
            over.set()
        thread.join(30)
        assert status["run"] is None
        held.wait()


def test_a_program_that_answers_byte_by_byte_does_not_block_a_run(monkeypatch):
    monkeypatch.setattr(kept_jvm, "ANSWER_SECONDS", 0.5)
    over = Event()
    with socket.create_server((HOST, 0)) as server:

        def drip():
            connection, _ = server.accept()
            with connection, suppress(OSError):
                while not over.wait(0.05):
                    connection.sendall(b"x")

        thread = Thread(target=drip, daemon=True)
        thread.start()
        record = HolderRecord(folder="", key="key", port=server.getsockname()[1], secret=Secret("of-the-holder"))
        with pytest.raises(HolderGoneError):
            ask(record, LEASE)
        over.set()
        thread.join(30)


def received(channel):
    """Return the first lines that a holder sends, of which only one comes before the proof."""
    return [channel.receive() for _ in range(3)]


@pytest.mark.parametrize("answer", [b"", b"\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\xff \xff\n"])
def test_another_program_on_the_port_of_an_ended_holder_learns_nothing(answer):
    heard = []
    with socket.create_server((HOST, 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.sendall(answer)
                heard.append(connection.recv(4096))
                connection.shutdown(socket.SHUT_WR)
                heard.append(connection.recv(4096))

        thread = Thread(target=serve, daemon=True)
        thread.start()
        record = HolderRecord(folder="", key="key", port=server.getsockname()[1], secret=Secret("of-the-holder"))
        with pytest.raises(HolderGoneError):
            ask(record, LEASE)
        thread.join(30)

    assert b"of-the-holder" not in b"".join(heard)
    assert b"lease" not in b"".join(heard)


def test_a_record_that_has_been_replaced_is_kept(tmp_path):
    with holding(tmp_path) as held:
        other = HolderRecord(folder="", key="key", port=1, secret=Secret("other"))
        write_record(held.path, other)
        end_of(held.record)
        assert held.path.exists()
        held.path.unlink()
