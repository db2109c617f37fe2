"""``delta-schema prepare``: what it does, prints and returns, without a JVM."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.engine import prepare as prepare_module
from pytest_delta_schema.progress import step


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine whose Spark is a memory catalog; it notes what is done, and has an archive once a session has ended."""
    machine = SimpleNamespace(done=[], has_archive=False, writes_archive=True, folder=tmp_path / "cache")
    machine.folder.mkdir()

    def needs(_conf):
        with step("downloading", announced=True):
            machine.done.append("checked")
        return SimpleNamespace(archive_is_kept=machine.has_archive)

    @contextlib.contextmanager
    def start(_warehouse, _conf):
        machine.done.append("started")
        yield SimpleNamespace(spark=None)
        machine.has_archive = machine.writes_archive
        (machine.folder / "classes").write_bytes(b"x" * 3_000_000)

    class Catalog(MemoryCatalog):
        def __init__(self, *_, **__):
            super().__init__()

        def run(self, statement):
            machine.done.append(statement.kind.name)
            return super().run(statement)

    monkeypatch.setattr(prepare_module, "resources_for_start", needs)
    monkeypatch.setattr(prepare_module, "start_session", start)
    monkeypatch.setattr(prepare_module, "LocalCatalog", Catalog)
    monkeypatch.setattr(prepare_module, "cache_folder", lambda: machine.folder)
    return machine


def test_an_empty_cache_is_filled_and_a_full_one_is_only_checked(machine, capsys):
    assert main(["prepare"]) == 0

    first = capsys.readouterr()
    assert machine.done[:2] == ["checked", "started"]
    assert {"CREATE_TABLE", "ADD_COLUMNS", "ADD_CHECK"} <= set(machine.done)
    assert first.out == f"ready: {machine.folder} has all that the local backend needs (3 MB)\n"
    assert first.err.startswith("downloading\ndownloading: done after 0 s\n")

    machine.done.clear()
    assert main(["prepare"]) == 0
    assert machine.done == ["checked"]


def test_an_archive_that_was_not_written_is_an_error(machine, capsys):
    machine.writes_archive = False

    assert main(["prepare"]) == 1

    line = f"error: no archive of the JVM's classes was written to {machine.folder}; the warning above says why\n"
    assert capsys.readouterr().err.endswith(line)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (BackendUnavailableError("there is no java; install one"), 1, "error: there is no java; install one\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=["no java", "interrupted"],
)
@pytest.mark.usefixtures("machine")
def test_what_fails_is_one_line(monkeypatch, capsys, error, code, line):
    def fail(_):
        raise error

    monkeypatch.setattr(prepare_module, "resources_for_start", fail)

    assert main(["prepare"]) == code

    answer = capsys.readouterr()
    assert (answer.out, answer.err) == ("", line)
