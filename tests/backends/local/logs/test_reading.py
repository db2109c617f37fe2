"""Other things than a Delta table under a table's name: each is reported, and none is planned as a creation."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pytest_delta_schema import CatalogReadError, Orchestrator
from pytest_delta_schema.backends.local.reading import _understand
from pytest_delta_schema.backends.local.warehouse import physical_schema, table_folder
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

ID = column("id", is_nullable=False)


@pytest.fixture
def made(local):
    """A table that is there, and a catalog that knows it."""
    Orchestrator.over(local).sync_tables([table(ID)])
    yield local
    local.spark.catalog.clearCache()


def problem(local, model=None):
    model = model or table(ID)
    state = local.snapshot([model])
    assert model.name not in state.tables
    with pytest.raises(CatalogReadError) as caught:
        Orchestrator.over(local).sync_tables([model])
    assert str(state.problems[model.name]) == str(caught.value)
    return str(caught.value)


def test_a_table_is_read_without_a_spark_job(made):
    tracker = made.spark.sparkContext.statusTracker()
    jobs = len(tracker.getJobIdsForGroup(None))

    assert made.snapshot([table(ID)]).tables[NAME].version == 0

    assert len(tracker.getJobIdsForGroup(None)) == jobs


def test_changes_of_other_writers_are_read(made):
    made.spark.sql("ALTER TABLE dev.silver.orders ADD COLUMNS (b STRING COMMENT 'B')")

    state = made.snapshot([table(ID)]).tables[NAME]

    assert [(column.name, column.data_type, column.comment) for column in state.columns] == [
        ("id", "bigint", ""),
        ("b", "string", "B"),
    ]
    assert state.version == 1


def test_absent_tables_and_schemas(made):
    state = made.snapshot([table(ID, name="dev.silver.other"), table(ID, name="dev.gold.x"), table(ID, name="new.a.b")])

    assert {str(name): (table.exists, table.schema_exists) for name, table in state.tables.items()} == {
        "dev.silver.other": (False, True),
        "dev.gold.x": (False, False),
        "new.a.b": (False, False),
    }


def test_a_view(made):
    made.spark.sql("CREATE OR REPLACE VIEW spark_catalog.dev__silver.v AS SELECT 1 AS id")

    assert problem(made, table(ID, name="dev.silver.v")) == (
        "dev.silver.v: is a view, not a table; drop the view, or declare the table under another name"
        " [DS504 ViewInPlaceOfTable]"
    )
    made.spark.sql("DROP VIEW spark_catalog.dev__silver.v")


def test_a_table_of_another_format(made):
    made.spark.sql("CREATE TABLE spark_catalog.dev__silver.p (id INT) USING parquet")

    assert problem(made, table(ID, name="dev.silver.p")) == (
        'dev.silver.p: is a parquet table, not a Delta table; consent to its conversion with convert_from="parquet" if it'
        " is parquet, or declare the table under another name [DS505 NotDeltaTable]"
    )


def test_files_without_a_log(local, warehouse):
    folder = table_folder(warehouse, NAME)
    folder.mkdir(parents=True)
    (folder / "part-0.parquet").write_bytes(b"x")

    text = problem(local)

    assert text.startswith(
        f"dev.silver.orders: its folder in the warehouse ({folder}) holds files but no Delta log; move"
    )
    assert (folder / "part-0.parquet").read_bytes() == b"x"


@pytest.mark.parametrize(
    "hide",
    [
        pytest.param(lambda log: log.symlink_to(log), id="a link to itself"),
        pytest.param(
            lambda log: log.parent.chmod(0),
            id="no permission",
            marks=pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere"),
        ),
    ],
)
def test_a_folder_without_permission_is_no_absent_table(local, warehouse, hide):
    folder = table_folder(warehouse, NAME)
    folder.mkdir(parents=True)
    hide(folder / "_delta_log")

    text = problem(local)
    folder.chmod(0o755)

    assert text.startswith(
        f"dev.silver.orders: its Delta log cannot be read (nobody may look into {folder / '_delta_log'}: "
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json\n", "/00000000000000000000.json is cut off or damaged in line 1 of 1); restore it from a backup"),
        ('{"commitInfo": {}}\n', "/_delta_log holds a metaData action); restore them from a backup"),
        ("", "/00000000000000000000.json is empty); restore it from a backup"),
    ],
)
def test_an_unreadable_log(made, warehouse, content, message):
    log = table_folder(warehouse, NAME) / "_delta_log"
    for path in list(log.glob("*.crc")):
        path.unlink()
    (log / "00000000000000000000.json").write_text(content)
    made.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    text = problem(made)

    assert text.startswith("dev.silver.orders: its Delta log is damaged (")
    assert text.endswith(f"{message} [DS503 DamagedTable]")
    assert (log / "00000000000000000000.json").read_text() == content


def test_malformed_metadata(made, warehouse):
    location = table_folder(warehouse, NAME)

    read = _understand(made.bridge, NAME, f'delta\t{location}\t0\t{{}}\t{{"protocol": {{}}}}\t')

    assert str(read).startswith("dev.silver.orders: its metadata is damaged (")
    remedy = "restore its Delta log from a backup, or report this if other clients can read the table"
    assert str(read).endswith(f"); {remedy} [DS503 DamagedTable]")


@pytest.mark.parametrize("metadata", ["5", '{"schemaString": "not JSON"}'])
def test_metadata_that_delta_does_not_understand(made, warehouse, metadata):
    location = table_folder(warehouse, NAME)

    read = _understand(made.bridge, NAME, f'delta\t{location}\t0\t{{"metaData": {metadata}}}\t{{"protocol": {{}}}}\t')

    assert str(read).startswith("dev.silver.orders: its Delta log cannot be read (")
    assert str(read).endswith("); restore the log, or change it with the client that wrote it [DS502 UnreadableTable]")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pytest_delta_schema.primaryKey", "id"),
        ("pytest_delta_schema.unique.u", "[]"),
        ("pytest_delta_schema.foreignKey.f", '{"name": "f", "columns": ["id"], "parent": "p"}'),
        ("pytest_delta_schema.ownedProperties", "7"),
    ],
)
def test_the_remedy_of_a_malformed_own_property_helps(made, key, value):
    model = table(ID, primary_key=["id"])
    made.spark.sql(f"ALTER TABLE {NAME} SET TBLPROPERTIES ('{key}' = '{value}')")

    text = problem(made)
    fact, remedy = text.split("; remove it (")
    made.spark.sql(remedy.partition("), and apply")[0])
    Orchestrator.over(made).sync_tables([model])

    assert fact == f"dev.silver.orders: the property {key} is malformed"
    assert made.snapshot([model]).tables[NAME].primary_key.columns == ("id",)


def test_a_log_whose_first_commit_is_gone(made, warehouse):
    log = table_folder(warehouse, NAME) / "_delta_log"
    made.spark.sql("ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('a' = 'b')")
    for path in list(log.glob("*00000000000000000000.*")):
        path.unlink()
    made.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    assert problem(made) == (
        f"dev.silver.orders: its Delta log is damaged ({log} lacks 00000000000000000000.json, and later commits are there);"
        " restore it from a backup [DS503 DamagedTable]"
    )


def test_a_table_whose_folder_was_removed_behind_the_sessions_back(made, warehouse):
    shutil.rmtree(table_folder(warehouse, NAME))
    made.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    assert problem(made) == (
        "dev.silver.orders: the catalog has an entry for it, but its Delta log in"
        f" {table_folder(warehouse, NAME)} is gone; restore _delta_log from a backup, because without it rows that were"
        " deleted or replaced come back, or drop the table [DS503 DamagedTable]"
    )


def test_a_schema_that_looks_like_a_physical_one(local):
    assert problem(local, table(ID, name="dev.dev__silver.x")) == (
        "dev.dev__silver.x: the name dev__silver looks like the physical name of a schema of dev in the local backend; choose"
        " another name for the schema [DS509 UnusableName]"
    )


def test_a_catalog_of_another_kind(local):
    local.spark.conf.set("spark.sql.catalog.foreign", "com.example.Catalog")

    assert problem(local, table(ID, name="foreign.a.b")) == (
        "foreign.a.b: the catalog foreign of this session is a com.example.Catalog, which the local backend cannot read;"
        " leave spark.sql.catalog.foreign unset, or rename the catalog [DS509 UnusableName]"
    )


def test_the_session_catalog_itself(local):
    model = table(ID, name="spark_catalog.default.plain", comment="Plain")
    orchestrator = Orchestrator.over(local)

    assert len(orchestrator.sync_tables([model]).statements) == 1
    assert orchestrator.plan_tables([model]).is_empty
    (location,) = local.spark.sql("DESCRIBE DETAIL spark_catalog.default.plain").select("location").collect()[0]
    assert (Path(location.removeprefix("file:")) / "_delta_schema").is_file()

    local.spark.sql("DROP TABLE spark_catalog.default.plain")


def test_many_tables_are_read_in_one_round_trip(made, monkeypatch):
    calls = []
    bridge = made.bridge
    real = bridge.read
    monkeypatch.setattr(bridge, "read", lambda request: (calls.append(request), real(request))[1])

    made.snapshot([table(ID), table(ID, name="dev.silver.b"), table(ID, name="dev.gold.c")])

    assert [request.count("\n") for request in calls] == [3]


def test_tables_of_a_schema_are_listed_without_its_views(local):
    Orchestrator.over(local).sync_tables([table(column()), table(column(), name="dev.silver.odd name")])
    local._session.sql("CREATE SCHEMA spark_catalog.listed")
    local._session.sql("CREATE TABLE spark_catalog.listed.orders (id INT) USING delta")
    local._session.sql("CREATE VIEW spark_catalog.listed.looking AS SELECT 1")
    for name in ("orders", "another"):
        local._session.sql(f"CREATE TEMPORARY VIEW {name} AS SELECT 1")

    try:
        assert [str(name) for name in local.table_names("spark_catalog", "listed")] == ["spark_catalog.listed.orders"]
        assert local.bridge.list_schema("dev", "silver", physical_schema("dev", "silver")) == (
            [],
            ["odd name", "orders"],
        )
        assert [str(name) for name in local.table_names("dev", "silver")] == [
            "dev.silver.odd name",
            "dev.silver.orders",
        ]
    finally:
        local._session.sql("DROP SCHEMA spark_catalog.listed CASCADE")
        for name in ("orders", "another"):
            local._session.sql(f"DROP VIEW {name}")
    assert local.table_names("dev", "nowhere") == ()
