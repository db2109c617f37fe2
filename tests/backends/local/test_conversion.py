"""Conversion of real files: what becomes Delta, what is refused before a byte changes, and what a failure leaves."""

from __future__ import annotations

import hashlib
import shutil
from typing import Any

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    ApplyError,
    Check,
    Column,
    Orchestrator,
    Parquet,
    UnsafePlanError,
    assert_no_drift,
)
from pytest_delta_schema.backends.local import conversion
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.backends.spark.statements import table_fingerprint
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.testing import SparkDataAccess
from pytest_delta_schema.testing.data_access import parquet_name
from pytest_delta_schema.testing.scenario import LONG, TEXT
from support.models import NAME, table

pytestmark = pytest.mark.spark

ID, V = Column("id", LONG), Column("v", TEXT)
DAY, REGION = Column("day", spark.DateType()), Column("region", TEXT)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "lake it's" / "orders"


@pytest.fixture
def write(local, folder):
    """Write a frame into the folder: ``write("1L as id, 'x' as v", by=("v",))``."""

    def write(columns, by=(), fmt="parquet", into=""):
        frame = local.spark.sql(f"select {columns}")
        frame.write.mode("append").format(fmt).partitionBy(*by).save(str(folder / into))

    return write


def model(*columns, folder, statistics=True, **options):
    return table(*columns, convert_from=Parquet(str(folder), statistics=statistics), **options)


def sync(local, *models):
    return Orchestrator.over(local).sync_tables(models)


def contents(folder):
    """Return every file below a folder with the hash of what is in it."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows(local):
    return sorted(tuple(row) for row in local.spark.table(dotted(NAME)).collect())


def test_a_folder_becomes_a_table_of_the_catalog_where_it_lies(local, folder, write):
    write("1L as id, 'x' as v")
    before = contents(folder)
    wanted = model(Column("id", LONG, is_nullable=False, comment="Key"), V, folder=folder, comment="Orders")

    done = sync(local, wanted)

    assert [statement.kind.value for statement in done.statements] == [
        "create schema",
        "convert table",
        "register table",
        "set not null",
        "comment on columns",
        "comment on table",
    ]
    assert rows(local) == [(1, "x")]
    assert before.items() <= contents(folder).items()
    detail = local.spark.sql(f"DESCRIBE DETAIL {dotted(NAME)}").collect()[0]
    assert detail["location"].removeprefix("file:").replace("%20", " ") == str(folder)
    assert '"stats"' in (folder / "_delta_log" / "00000000000000000000.json").read_text("utf-8")
    assert_no_drift(wanted, catalog=local)
    assert sync(local, wanted).statements == ()


def test_a_later_process_finds_the_table_by_its_marker_until_it_is_dropped(local, folder, write):
    write("1L as id")
    wanted = model(ID, folder=folder)
    sync(local, wanted)
    marker = local.warehouse / "dev" / "silver" / "orders" / "_location"
    assert marker.read_text("utf-8").strip() == str(folder)

    forget(local)

    assert_no_drift(wanted, catalog=local)
    assert rows(local) == [(1,)]
    local.spark.sql(f"DROP TABLE {dotted(NAME)}")
    assert not marker.exists()
    assert contents(folder)
    assert not local.snapshot([table(ID)]).tables[NAME].exists


def forget(local):
    """Make the session forget its table, as its end does; the folder stays."""
    session = local.spark._jsparkSession.sessionState().catalog()
    database = local.spark._jvm.scala.Option.apply("dev__silver")
    identifier = local.spark._jvm.org.apache.spark.sql.catalyst.TableIdentifier("orders", database)
    session.externalCatalog().dropTable("dev__silver", "orders", True, False)
    session.refreshTable(identifier)


def test_files_in_the_folder_of_a_managed_table_are_converted_there(local):
    local.create_schema("dev", "silver")
    target = local.warehouse / "dev" / "silver" / "orders"
    local.spark.sql("select 1L as id").write.format("parquet").save(str(target))
    with pytest.raises(CatalogReadError, match=r"holds files but no Delta log.*consent to its conversion"):
        sync(local, table(ID))

    sync(local, table(ID, convert_from="parquet"))

    assert rows(local) == [(1,)]
    assert not (target / "_location").exists()


PARTS = "is partitioned by {} in the model, and by {} in its files: first in the folder {}"
BY_DAY = {"columns": (ID, DAY), "partitioned_by": ["day"]}
ONLY_ID = {"columns": (ID,)}
REFUSED: list[tuple[list[Any], dict[str, Any], str]] = [
    (
        [("1L as id, date'2024-01-01' as day, 'EU' as region", ("region", "day"))],
        {"columns": (ID, DAY, REGION), "partitioned_by": ["day", "region"]},
        PARTS.format("2 columns (day, region)", "2 columns (region, day)", "region=EU/day="),
    ),
    (
        [("1L as id, 'EU' as region", ("region",))],
        {"columns": (ID, REGION)},
        PARTS.format("nothing", "1 column (region)", "region=EU"),
    ),
    (
        [("1L as id, '2024-01-01' as day", ("day",)), ("1L as id, 'today' as day", ("day",))],
        BY_DAY,
        (
            "is partitioned by day as date in the model, and 'today' cannot be read as date: first in the folder day=today;"
            " declare day as string, or rename the folder"
        ),
    ),
    (
        [("1L as id", ()), ("'x' as id", ())],
        ONLY_ID,
        "cannot be converted, because the schemas of its files do not merge: part-",
    ),
    (
        [("1L as id", (), "csv")],
        ONLY_ID,
        "holds csv, and only parquet becomes Delta; rewrite it: spark.read.format('csv').load(...)",
    ),
    ([], ONLY_ID, "cannot be converted, because there are no files in"),
    (
        [("-1L as id", ())],
        {**ONLY_ID, "checks": [Check("positive", "id > 0")]},
        "check positive (id > 0) cannot be added, because 1 row breaks it, of 1, such as id = -1; correct them",
    ),
]


def test_what_does_not_fit_is_refused_before_a_byte_changes(local, folder, write):
    for number, (writes, options, text) in enumerate(REFUSED):
        for columns, by, *fmt in writes:
            write(columns, by, *fmt, into=str(number))
        arguments = dict(options)
        wanted = model(*arguments.pop("columns"), folder=folder / str(number), **arguments)
        before = contents(folder)

        with pytest.raises(UnsafePlanError) as caught:
            sync(local, wanted)

        assert text in str(caught.value), number
        assert "dev.silver.orders" in str(caught.value)
        assert contents(folder) == before
        assert not local.snapshot([table(ID)]).tables[NAME].exists


def test_a_conversion_that_fails_midway_leaves_the_parquet_as_it_was(local, folder, write):
    write("1L as id, 'x' as region", by=("region",))
    wanted = model(ID, REGION, folder=folder, partitioned_by=["region"])
    plan = TablePlanner().plan([wanted], local.snapshot([wanted]))
    stray = folder / "stray"
    stray.mkdir()
    (stray / "part-0.parquet").write_bytes(b"PAR1 but nothing more")
    before = contents(folder)

    with pytest.raises(ApplyError) as caught:
        ActionRunner.over(local).apply(plan)

    assert "statement 2 of 3 failed" in str(caught.value)
    assert "to restore:  the table does not exist, nothing is lost" in str(caught.value)
    assert contents(folder) == before
    assert not (folder / "_delta_log").exists()
    shutil.rmtree(stray)
    sync(local, wanted)
    assert rows(local) == [(1, "x")]


INSTANTS = ("1890-01-01 00:00:00", "2024-10-27 00:30:00", "2024-10-27 01:30:00.123456", "1969-12-31 23:59:59.999999")


def test_instants_stay_what_they_are_in_files_and_in_the_names_of_folders(local, folder, write):
    ts, day = Column("ts", spark.TimestampType()), Column("day", spark.TimestampType())
    given = " union all ".join(f"select {n}L as id, timestamp'{text}Z' as ts" for n, text in enumerate(INSTANTS))
    with (
        setting(local.spark, "spark.sql.session.timeZone", "Europe/Berlin"),
        setting(local.spark, "spark.sql.parquet.outputTimestampType", "INT96"),
    ):
        write(f"id, ts, timestamp'2024-07-01 12:00:00' as day from ({given})", by=("day",))
        seen = ("id", "unix_micros(ts)", "unix_micros(day)")
        before = sorted(local.spark.read.parquet(str(folder)).selectExpr(*seen).collect())

        sync(local, model(ID, ts, day, folder=folder, partitioned_by=["day"]))

        assert sorted(local.spark.table(dotted(NAME)).selectExpr(*seen).collect()) == before
    assert [row[1] for row in before] == [-2524521600000000, 1729989000000000, 1729992600123456, -1]
    assert {row[2] for row in before} == {1719828000000000}


def during_conversion(monkeypatch, local, action):
    """Do something right after Spark has converted files, and before anybody looks at the table."""
    run = local.bridge.sql

    def slowly(text):
        answer = run(text)
        if text.startswith("CONVERT"):
            action()
        return answer

    monkeypatch.setattr(local.bridge, "sql", slowly)


def test_a_conversion_that_loses_rows_leaves_a_table_of_the_catalog_as_it_was(local, monkeypatch):
    SparkDataAccess().make_parquet(local, table(ID, V, partitioned_by=["v"]), [{"id": 1, "v": "x"}])
    target = parquet_name(NAME)
    wanted = table(ID, V, partitioned_by=["v"], convert_from="parquet")
    files = local.spark.table(target).inputFiles()
    take, lost = table_fingerprint, iter(["", "LIMIT 0"])
    monkeypatch.setattr(
        conversion,
        "table_fingerprint",
        lambda spark, relation, *rest: take(spark, f"(TABLE {relation} {next(lost)})", *rest),
    )

    with pytest.raises(ApplyError, match="there are 0 rows instead of 1; it was undone, and the files are as they"):
        sync(local, wanted)

    assert local.spark.table(target).collect() == [(1, "x")]
    assert local.spark.table(target).inputFiles() == files
    assert "is a parquet table, not a Delta table" in str(local.snapshot([table(ID)]).problems)
    monkeypatch.undo()
    sync(local, wanted)
    assert rows(local) == [(1, "x")]


def test_a_conversion_on_which_others_have_built_is_not_undone(local, folder, write, monkeypatch):
    write("1L as id")
    during_conversion(monkeypatch, local, lambda: (write("2L as id", fmt="delta"), write("3L as id")))

    with pytest.raises(ApplyError, match=r"is not undone, because somebody else has committed since \(version 1\)"):
        sync(local, model(ID, folder=folder))

    assert sorted(local.spark.read.format("delta").load(str(folder)).collect()) == [(1,), (2,)]
