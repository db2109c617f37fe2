"""Damaged, lost and malformed logs of real tables: unreadable, on every way to them, and never touched by an apply."""

from __future__ import annotations

import hashlib
import os
import shutil
import time

import pytest

from pytest_delta_schema import (
    ApplyError,
    Orchestrator,
    Parquet,
    SessionCatalog,
    UnsafePlanError,
    assert_no_drift,
)
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.plan import TablePlanner
from support.damaged_logs import (
    COMMITS,
    commit_file,
    cut,
)
from support.models import NAME, column, table

pytestmark = pytest.mark.spark

ID = column("id")


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


def test_damage_is_seen_as_a_reader_of_the_rows_would_see_it(local):
    folder = make(local)
    copies = {name: harmed(folder, case) for name, case in COMMITS.items()}

    state = local.snapshot([model for model, _ in copies.values()])

    seen = SessionCatalog(local.spark).snapshot([model for model, _ in copies.values()])
    for name, (model, log) in copies.items():
        message = COMMITS[name].message and COMMITS[name].message.format(log=log)
        for shown in (state, seen):
            assert (model.name in shown.tables) is (message is None), name
            assert message is None or message in str(shown.problems[model.name]), name
        assert message is None or str(local.version(model.name)) == str(state.problems[model.name])


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_apply_leaves_a_damaged_table_as_it_is_also_if_it_was_planned_before(local):
    folder = make(local)
    wanted = table(ID, comment="Orders")
    plan = TablePlanner().plan([wanted], local.snapshot([wanted]))
    cut(commit_file(folder / "_delta_log"))
    before = contents(folder)

    with pytest.raises(CatalogReadError, match=r"its Delta log is damaged \(.*4\.json is cut off or damaged in line"):
        Orchestrator.over(local).sync_tables([wanted])
    with pytest.raises(ApplyError) as caught:
        ActionRunner.over(local).apply(plan)

    assert "statement 1 of 1 failed: its Delta log is damaged (" in str(caught.value)
    assert "  to restore:  nothing was changed\n" in str(caught.value)
    assert contents(folder) == before


TMP = ".00000000000000000000.json.0d7ab2b3-0000-4000-8000-000000000000.tmp"
MARKER = "_delta_schema"
RESTORE = "restore _delta_log from a backup, because without it rows that were deleted or replaced come back"


def killed(folder, age=3600.0):
    """Leave in a folder what a kill within CREATE TABLE leaves there."""
    log = folder / "_delta_log"
    (log / "_staged_commits").mkdir(parents=True)
    for name in (TMP, f".{TMP}.crc"):
        (log / name).write_text("{")
        os.utime(log / name, (time.time() - age,) * 2)
    return log


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_table_whose_creation_was_killed_is_absent_and_is_created(local):
    folder = table_folder(local.warehouse, NAME)
    log = killed(folder)

    assert local.snapshot([table(ID)]).tables[NAME].exists is False
    assert not Orchestrator.over(local).plan_tables([table(ID)]).is_empty
    assert sorted(path.name for path in log.iterdir()) == [f".{TMP}.crc", TMP, "_staged_commits"]

    Orchestrator.over(local).sync_tables([table(ID)])

    assert_no_drift(table(ID), catalog=local)
    assert not (log / TMP).exists()
    assert (folder / MARKER).read_text("utf-8").startswith("The files in this folder belong to a Delta table.")


def test_any_other_file_makes_it_no_absent_table(local):
    folder = table_folder(local.warehouse, NAME)
    killed(folder)
    gone = "whose log is gone (see "
    for name, text in (
        ("part-0.parquet", "holds files but no Delta log; move the folder away, or consent to its conversion"),
        ("_delta_log/00000000000000000000.crc", f"{gone}_delta_log/00000000000000000000.crc); {RESTORE}"),
        ("_delta_log/_staged_commits/a.json", f"{gone}_delta_log/_staged_commits/a.json)"),
        ("_change_data/cdc-0.parquet", f"{gone}_change_data/cdc-0.parquet)"),
        ("Xy/deletion_vector_1.bin", f"{gone}Xy/deletion_vector_1.bin)"),
        (MARKER, f"{gone}_delta_schema)"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
        before = files(folder)

        with pytest.raises(CatalogReadError) as caught:
            Orchestrator.over(local).sync_tables([table(ID)])

        assert text in str(caught.value)
        assert files(folder) == before
        (folder / name).unlink()


def forget(local, folder):
    """Lose the log of a table, and start anew: the session has no entry for the table then."""
    shutil.rmtree(folder / "_delta_log")
    jvm = local.spark._jvm
    jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier("orders", jvm.scala.Option.apply("dev__silver"))
    session = local.spark._jsparkSession.sessionState().catalog()
    folder.rename(folder.with_name("aside"))
    session.externalCatalog().dropTable("dev__silver", "orders", True, False)
    session.refreshTable(identifier)
    folder.with_name("aside").rename(folder)


def deletion_vectors(local, folder):
    local.spark.sql("ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    local.insert(NAME, [{"id": number} for number in range(100)])
    local.spark.sql("DELETE FROM dev.silver.orders WHERE id = 7")
    (folder / MARKER).unlink()
    (file,) = folder.glob("deletion_vector_*.bin")
    return file.name


def marker(local, _):
    local.insert(NAME, [{"id": 1}])
    local.spark.sql("DELETE FROM dev.silver.orders")
    return MARKER


@pytest.mark.parametrize("sign", [deletion_vectors, marker])
def test_files_of_a_table_that_has_lost_its_log_are_never_converted(local, tmp_path, sign):
    Orchestrator.over(local).sync_tables([table(ID)])
    folder = table_folder(local.warehouse, NAME)
    seen = sign(local, folder)
    forget(local, folder)
    elsewhere = shutil.copytree(folder, tmp_path / "lake")
    before = files(folder)

    with pytest.raises(CatalogReadError) as unread:
        Orchestrator.over(local).sync_tables([table(ID)])
    with pytest.raises(UnsafePlanError) as in_place:
        Orchestrator.over(local).sync_tables([table(ID, convert_from="parquet")])
    shutil.rmtree(folder)
    with pytest.raises(UnsafePlanError) as by_path:
        Orchestrator.over(local).sync_tables([table(ID, convert_from=Parquet(str(elsewhere)))])

    fact = "holds the files of a Delta table whose log is gone (see "
    assert str(unread.value).startswith(f"dev.silver.orders: its folder in the warehouse ({folder}) {fact}")
    for caught, location in ((in_place, folder), (by_path, elsewhere)):
        (violation,) = (violation for violation in caught.value.diagnostics if violation.code == "DS217")
        assert violation.remedy == RESTORE
        assert violation.message.startswith(f"cannot be converted, because {location} {fact}")
        assert violation.message.endswith(f"{seen})") or sign is not marker
    assert "consent to its conversion" not in str(unread.value)
    assert files(elsewhere) == before


def test_a_parquet_table_over_files_of_a_delta_table_is_not_offered_for_conversion(local, tmp_path):
    source = tmp_path / "lake"
    local.spark.range(3).write.format("parquet").save(str(source))
    (source / MARKER).touch()
    local.create_schema("dev", "silver")
    local.spark.sql(f"CREATE TABLE spark_catalog.dev__silver.orders USING parquet LOCATION '{source}'")

    with pytest.raises(CatalogReadError) as unread:
        Orchestrator.over(local).sync_tables([table(ID)])
    with pytest.raises(UnsafePlanError, match="whose log is gone") as refused:
        Orchestrator.over(local).sync_tables([table(ID, convert_from="parquet")])

    fact = f"{source} holds the files of a Delta table whose log is gone (see _delta_schema)"
    assert str(unread.value) == f"dev.silver.orders: {fact}; {RESTORE} [DS503 DamagedTable]"
    assert [violation.code for violation in refused.value.diagnostics] == ["DS217"]


def test_the_marker_outlives_vacuum_and_a_conversion_leaves_one(local, tmp_path):
    source = tmp_path / "lake"
    local.spark.range(3).write.format("parquet").save(str(source))
    wanted = table(ID, convert_from=Parquet(str(source)))
    Orchestrator.over(local).sync_tables([wanted])
    local.spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")

    local.spark.sql("DELETE FROM dev.silver.orders WHERE id = 1")
    local.spark.sql("VACUUM dev.silver.orders RETAIN 0 HOURS")
    local.spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")

    assert (source / MARKER).is_file()
    assert not (source / f".{MARKER}.crc").exists()
    assert sorted(row.id for row in local.spark.table("dev.silver.orders").collect()) == [0, 2]
    assert_no_drift(wanted, catalog=local)


def test_a_conversion_that_was_killed_is_done_again(local, tmp_path):
    source = tmp_path / "lake"
    local.spark.range(3).write.format("parquet").save(str(source))
    killed(source)

    Orchestrator.over(local).sync_tables([table(ID, convert_from=Parquet(str(source)))])

    assert sorted(row.id for row in local.spark.table("dev.silver.orders").collect()) == [0, 1, 2]
