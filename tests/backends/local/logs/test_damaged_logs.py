"""Damaged logs of real tables: an unreadable table, on every way to them, that no apply touches."""

from __future__ import annotations

import hashlib
import shutil

import pytest

from pytest_delta_schema import ApplyError, CatalogReadError, LocalCatalog, Orchestrator
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.logs.checks import damage_of
from pytest_delta_schema.backends.logs.files import LocalLog
from pytest_delta_schema.backends.spark.logs import HadoopLog
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plan import TablePlanner
from support.delta_logs.damage import (
    CLASSIC,
    COMMITS,
    SECOND,
    WITH_CHECKPOINT,
    WITHOUT_CHECKPOINT,
    checkpoint_file,
    commit_file,
    cut,
)
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

ID = column("id")
INTERVAL = {"delta.checkpointInterval": "3"}
LOGS = {
    "plain": ({}, COMMITS | WITHOUT_CHECKPOINT),
    "classic": (INTERVAL, COMMITS | WITH_CHECKPOINT | CLASSIC),
    "second": ({**INTERVAL, "delta.checkpointPolicy": "v2"}, COMMITS | WITH_CHECKPOINT | SECOND),
}


def make(local, **properties):
    """Make a table with five commits, and return its folder."""
    Orchestrator.over(local).sync_tables([table(ID, table_properties=properties)])
    for number in range(4):
        local.insert(NAME, [{"id": number}])
    return table_folder(local.warehouse, NAME)


def harmed(folder, case):
    """Copy a table, harm the copy, and return its model and its log."""
    copy = shutil.copytree(folder, folder.with_name(f"copy_{len(list(folder.parent.iterdir()))}"))
    case.harm(copy / "_delta_log")
    return table(ID, name=f"dev.silver.{copy.name}"), copy / "_delta_log"


def reported(case, log):
    """Return what is said of a case."""
    checkpoint = next(iter((log.parent.parent / "orders" / "_delta_log").glob("0*.checkpoint*")), log)
    return case.message.format(log=log, checkpoint=log / checkpoint.name)


@pytest.mark.parametrize("kind", LOGS)
def test_damage_is_seen_as_a_reader_of_the_rows_would_see_it(local, kind):
    properties, cases = LOGS[kind]
    folder = make(local, **properties)
    assert bool(list((folder / "_delta_log").glob("*.checkpoint*"))) is (kind != "plain")
    copies = {name: harmed(folder, case) for name, case in cases.items()}

    state = local.snapshot([model for model, _ in copies.values()])

    for name, (model, log) in copies.items():
        case = cases[name]
        if case.message is None:
            assert state.tables[model.name].version == 4, name
        else:
            text = str(state.problems[model.name])
            assert text.startswith(f"{model.qualified_name}: its Delta log is damaged ("), name
            assert reported(case, log) in text, name
            assert str(local.version(model.name)) == text, name


def test_a_session_sees_it_too(local):
    folder = make(local)
    catalog = SessionCatalog(local.spark)
    copies = {name: harmed(folder, case) for name, case in COMMITS.items()}

    state = catalog.snapshot([model for model, _ in copies.values()])

    for name, (model, log) in copies.items():
        case = COMMITS[name]
        if case.message is None:
            assert state.tables[model.name].exists, name
        else:
            assert reported(case, log) in str(state.problems[model.name]), name


@pytest.mark.parametrize("kind", LOGS)
def test_the_file_systems_of_hadoop_show_the_same_files(local, kind):
    log = make(local, **LOGS[kind][0]) / "_delta_log"
    here, there = LocalLog(str(log.parent)), HadoopLog(local.spark, f"file:{log.parent}")

    # Hadoop hides its own checksums.
    assert sorted(name for name in here.names() if not name.startswith(".")) == sorted(there.names())
    assert here.read(commit_file(log).name) == there.read(commit_file(log).name)
    assert damage_of(there) is None
    if kind != "plain":
        assert here.edges(checkpoint_file(log).name) == there.edges(checkpoint_file(log).name)
    with pytest.raises(FileNotFoundError):
        there.read("nope")
    with pytest.raises(FileNotFoundError):
        there.edges("nope")
    commit_file(log).write_bytes(b"")
    (log / f".{commit_file(log).name}.crc").unlink()
    assert damage_of(there).fact == f"file:{log}/{commit_file(log).name} is empty"


def test_a_table_elsewhere_is_read_through_hadoop(local):
    folder = make(local)
    commit_file(folder / "_delta_log", 2).unlink()

    fact = f"(file:{folder}/_delta_log lacks 00000000000000000002.json, and later commits are there)"
    assert fact in local.bridge.inspect(f"file:{folder}").message
    assert local.bridge.inspect("file:/nowhere") is None


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_apply_leaves_a_damaged_table_as_it_is(local):
    folder = make(local)
    cut(commit_file(folder / "_delta_log"))
    before = contents(folder)

    with pytest.raises(CatalogReadError, match=r"its Delta log is damaged \(.*4\.json is cut off or damaged in line"):
        Orchestrator.over(local).sync_tables([table(ID, comment="Orders")])

    assert contents(folder) == before


def test_nothing_runs_on_a_table_that_is_damaged_after_it_was_planned(local):
    folder = make(local)
    wanted = table(ID, comment="Orders")
    plan = TablePlanner().plan([wanted], local.snapshot([wanted]))
    cut(commit_file(folder / "_delta_log"))
    before = contents(folder)

    with pytest.raises(ApplyError) as caught:
        ActionRunner.over(local).apply(plan)

    assert "statement 1 of 1 failed: its Delta log is damaged (" in str(caught.value)
    assert "  to restore:  nothing was changed\n" in str(caught.value)
    assert contents(folder) == before


def test_a_table_that_is_damaged_midway_is_not_reported_as_absent(local, monkeypatch):
    folder = make(local)
    run = LocalCatalog.run

    def harm_between(self, statement):
        if statement.kind.value == "comment on table":
            cut(commit_file(folder / "_delta_log", 5))
            self.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
            raise self.error
        run(self, statement)

    monkeypatch.setattr(LocalCatalog, "run", harm_between)
    monkeypatch.setattr(
        LocalCatalog, "error", CatalogReadError([Diagnostic(table="", message="no", remedy="none")]), False
    )
    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(local).sync_tables([table(column("id", comment="Key"), comment="Orders")])

    assert "  to restore:  unknown, because the table cannot be read now: its Delta log is damaged (" in str(
        caught.value
    )
    assert "restore it from a backup; then: RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 4" in str(
        caught.value
    )


def test_a_name_that_is_given_to_nothing_is_no_damage(local):
    assert local.snapshot([table(ID)]).tables[QualifiedName("dev", "silver", "orders")].exists is False
