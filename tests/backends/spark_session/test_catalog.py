"""The session catalog, on a real server of Spark Connect: tables, their clones, and their commits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest
from pyspark.sql.types import DateType, LongType, StringType

from pytest_delta_schema import (
    Check,
    Column,
    Orchestrator,
    Parquet,
    SessionCatalog,
    Table,
    UnsafePlanError,
    assert_no_drift,
    assert_table_equals,
    to_struct_type,
)
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.logs import SqlFiles
from pytest_delta_schema.backends.spark.sessions import settings
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.backends.spark_session.reading import files_of
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError
from pytest_delta_schema.execute import ABSENT
from pytest_delta_schema.state.desired import declared_table
from pytest_delta_schema.testing.scenario import TEXT
from support.catalogs import scratch
from support.covering import ALL, is_refused_on, played_on
from support.installed import INSTALLED
from support.models import NAME, column, table
from support.reviewed import ReviewedSuite

ID = column(is_nullable=False)
HAS_SERVER = INSTALLED.spark >= (4, 0)
"""Whether the server of Spark Connect is part of Spark; that of 3.5 is a separate package."""


SPARKS_OWN = {"spark.sql.sources.default": "parquet", "spark.sql.variable.substitute": "true"}
"""Settings that a session has unless somebody sets them; the local backend sets others."""


@pytest.fixture(scope="module")
def connect(remote):
    for name, value in SPARKS_OWN.items():
        remote.conf.set(name, value)
    return SessionCatalog(remote, read_threads=2)


@pytest.fixture
def session(connect):
    """The session catalog over Spark Connect, without the schemas that tests make."""
    yield connect
    for catalog in ("dev", "prod"):
        connect.drop_schema(catalog, "silver")


@pytest.mark.spark
@pytest.mark.skipif(not HAS_SERVER, reason="Spark 3.5 does not contain the server of Spark Connect")
class TestConnect(ReviewedSuite):
    """Without py4j: what needs a transaction in the JVM is refused, everything else ends as on other backends."""

    scenarios = played_on(INSTALLED.limit(REMOTE))

    @pytest.fixture
    def catalog(self, session, monkeypatch):
        # What this Delta lacks is not known over Spark Connect, and Delta itself would refuse it.
        monkeypatch.setattr(session, "capabilities", INSTALLED.limit(session.capabilities))
        return session


@pytest.mark.spark
class TestClassic(ReviewedSuite):
    """Read as over Spark Connect, and changed through the JVM where Spark Connect has to refuse."""

    scenarios = tuple(
        name for name in played_on(INSTALLED.limit(CLASSIC)) if not HAS_SERVER or is_refused_on(name, REMOTE)
    )

    @pytest.fixture
    def catalog(self, local):
        with settings(local.spark, SPARKS_OWN):
            yield SessionCatalog(local.spark)


@pytest.fixture
def counted(session, monkeypatch):
    """Statements that the session is asked, as they come."""
    queries = []
    ask = session._reader.rows
    monkeypatch.setattr(session._reader, "rows", lambda text: (queries.append(text), ask(text))[1])
    return queries


@pytest.mark.spark
def test_reading_takes_two_statements_a_table(session, counted, warehouse):
    models = [table(ID, name=f"dev.silver.t{index}") for index in range(200 if ALL else 10)]
    Orchestrator.over(session).sync_tables(models[:1])
    for model in models[1:]:
        # A table of the local catalog is its folder.
        shutil.copytree(table_folder(warehouse, models[0].name), table_folder(warehouse, model.name))
    for number in (1, len(models)):
        counted.clear()

        assert len(session.snapshot(models[:number]).tables) == number
        assert len(counted) == 2 * number


@pytest.mark.spark
def test_what_takes_a_transaction_is_refused_by_name_and_changes_nothing(session):
    line = Orchestrator.over(session)
    line.sync_tables([table(column(), column("a", TEXT))])

    with pytest.raises(UnsafePlanError) as caught:
        line.sync_tables([table(ID, column("a", TEXT), checks=[Check("quoted", "a <> 'it''s'")])])

    cannot = "the session backend cannot "
    refused = [(violation.code, violation.message.removeprefix(cannot)) for violation in caught.value.diagnostics]
    assert refused == [
        ("DS218", "set not null: open-source Delta has no SQL for it, and Spark Connect cannot reach a transaction"),
        (
            "DS218",
            ("add check: Delta's ADD CONSTRAINT would split tokens of quoted (a quote in a string literal, :: or ->)"),
        ),
    ]
    assert session.version(NAME) == 0


def deny(monkeypatch, session, text, error):
    """Let the session refuse the statements with a text."""
    ask = session._reader.rows

    def rows(asked):
        if text in asked:
            raise error
        return ask(asked)

    monkeypatch.setattr(session._reader, "rows", rows)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("sql", "fact"),
    [
        (
            "CREATE TABLE spark_catalog.dev__silver.orders (id INT) USING parquet",
            "is a parquet table, not a Delta table",
        ),
        ("CREATE VIEW spark_catalog.dev__silver.orders AS SELECT 1 AS id", "is a view, not a table"),
    ],
    ids=["parquet", "view"],
)
def test_what_exists_in_place_of_a_table(session, sql, fact):
    session.create_schema("dev", "silver")
    session.spark.sql(sql)
    model = table(ID, name="spark_catalog.dev__silver.orders")

    state = session.snapshot([model])

    assert str(state.problems[model.name]).startswith(f"spark_catalog.dev__silver.orders: {fact}")
    with pytest.raises(CatalogReadError) as raised:
        session.log(model.name)
    assert str(raised.value) == str(state.problems[model.name])
    other = state.others[model.name]
    assert [column.name for column in other.columns] == ["id"]
    assert session.view_names("spark_catalog", "dev__silver") == ((model.name,) if other.kind == "view" else ())
    assert_no_drift([replace(declared_table(other), read_only=True)], catalog=session)


@pytest.mark.spark
def test_a_permission_that_lacks_and_an_unknown_catalog_make_no_table_absent(session, monkeypatch):
    model = table(ID, name="nowhere.silver.orders")
    unknown = session.snapshot([model]).problems[model.name]
    assert unknown.message.startswith("cannot be read ([REQUIRES_SINGLE_PART_NAMESPACE]")

    with monkeypatch.context() as patch:
        deny(patch, session, "SHOW SCHEMAS", StatementError("no privilege", condition="INSUFFICIENT_PERMISSIONS"))
        assert session.snapshot([table(ID)]).problems[NAME].message == (
            "is not found, and the schemas of dev cannot be listed (no privilege)"
        )
    deny(monkeypatch, session, "", StatementError("no SELECT", condition="INSUFFICIENT_PERMISSIONS"))
    assert session.snapshot([table(ID)]).problems[NAME].message == "cannot be read (no SELECT)"
    assert session.version(NAME) == Diagnostic(
        code="DS502",
        rule="UnreadableTable",
        table="dev.silver.orders",
        message="cannot be read (no SELECT)",
        remedy="repair the session, or its permission to read the table",
    )


@pytest.mark.spark
def test_files_are_not_looked_at(session):
    session.create_schema("dev", "silver")

    problem = session.snapshot([table(ID, convert_from=Parquet("/lake/orders"))]).problems[NAME]

    assert str(problem) == (
        "dev.silver.orders: its model converts /lake/orders, whose files the session backend cannot list; convert it with"
        " the local backend or by CONVERT TO DELTA, or remove convert_from [DS510 UnlistableFiles]"
    )


@pytest.mark.spark
def test_tables_are_listed_without_views(session):
    session.create_schema("dev", "silver")
    Orchestrator.over(session).sync_tables([table(ID), table(ID, name="dev.silver.a")])
    for name in ("orders", "another"):
        session.spark.sql(f"CREATE TEMPORARY VIEW {name} AS SELECT 1")

    try:
        assert [str(name) for name in session.table_names("dev", "silver")] == ["dev.silver.a", "dev.silver.orders"]
        assert session.view_names("dev", "silver") == session.view_names("spark_catalog", "dev__silver") == ()
    finally:
        for name in ("orders", "another"):
            session.spark.catalog.dropTempView(name)
    assert session.table_names("dev", "nowhere") == ()


@pytest.mark.spark
def test_values_that_spark_redacts_are_read(local):
    catalog = SessionCatalog(local.spark)
    line = Orchestrator.over(catalog)
    models = [
        table(
            Column("url", TEXT, is_nullable=False),
            Column("token", TEXT),
            checks=[Check("has_url", "url <> ''"), Check("has_token", "token <> ''")],
            table_properties={"source.url": "x", "plain": "see the url"},
            name=name,
            **more,
        )
        for name, more in (("dev.silver.a", {"primary_key": ["url"]}), ("dev.silver.b", {"clustered_by": ["url"]}))
    ]

    line.sync_tables(models)

    for model in models:
        shown = {row[0]: row[1] for row in local.spark.sql(f"SHOW TBLPROPERTIES {model.name}").collect()}
        assert {shown[f"delta.constraints.{name}"] for name in ("has_url", "has_token")} == {"*********(redacted)"}
        state = catalog.snapshot([model]).existing(model.name)
        assert sorted(check.expression for check in state.checks) == ["token <> ''", "url <> ''"]
    assert line.plan_tables(models).is_empty


@pytest.mark.spark
@pytest.mark.skipif(not HAS_SERVER, reason="Spark 3.5 does not contain the server of Spark Connect")
def test_the_id_of_a_table_is_that_in_its_log(local, session):
    local.create_schema("dev", "silver")
    local.spark.sql(f"CREATE TABLE {NAME} (id BIGINT) USING DELTA")
    known = local.read_tables([NAME]).existing(NAME).table_id

    assert [known] == list({catalog.table_id(NAME) for catalog in (session, SessionCatalog(local.spark))})


EVERYTHING = {
    "delta.columnMapping.mode": "name",
    "delta.enableDeletionVectors": "true",
    "delta.enableChangeDataFeed": "true",
    "team": "sales",
}
COLUMNS = [
    Column("id", LongType(), is_nullable=False, comment="The id"),
    Column("note", StringType(), default="'none'"),
    Column("code", "varchar(10)"),
    Column("day", DateType()),
    Column("next", LongType(), generated_as="id + 1"),
    Column("number", LongType(), identity=True),
]
DAY = date(2026, 1, 31)


@pytest.fixture
def clone_session(request, local):
    """The session catalog over Spark Connect, or over a classic session where Spark does not contain its server."""
    return SessionCatalog(request.getfixturevalue("remote") if INSTALLED.spark >= (4, 0) else local.spark)


def model(catalog, **options):
    return Table(catalog, "silver", "orders", COLUMNS, comment="All orders", primary_key=["id"], **options)


def run(clone_session, statement, table):
    clone_session.spark.sql(statement.format(table.sql_name)).collect()


@pytest.mark.spark
def test_writes_to_a_clone_do_not_reach_the_table(clone_session):
    contract = model(
        "spark_catalog",
        table_properties=EVERYTHING,
        partitioned_by=["day"],
        checks=[Check("positive", "id > 0")],
        tags={"owner": "team"},
    )
    first, second = {"id": 1, "code": "a", "day": DAY}, {"id": 2, "code": "b", "day": DAY}
    with scratch(clone_session) as made:
        table = made.table(contract, [first, second], None)
        run(clone_session, "DELETE FROM {} WHERE id = 2", table)

        clone = made.clone(table, None)

        assert_no_drift([table, clone], catalog=clone_session)
        kept = {**first, "note": "none", "next": 2, "number": 1}
        assert_table_equals(clone, [kept], catalog=clone_session)
        run(clone_session, "INSERT INTO {} (id, code, day) VALUES (3, 'c', DATE'2026-01-31')", clone)
        assert [row["number"] for row in clone_session.rows(clone.name) if row["id"] == 3] == [3]
        with pytest.raises(StatementError, match=r"positive \(id > 0\)"):
            clone_session.insert(clone.name, [{"id": -1, "day": DAY}])
        run(clone_session, "DELETE FROM {}", clone)
        assert clone_session.rows(clone.name) == []
        assert_table_equals(table, [kept], catalog=clone_session)

    assert clone_session.version(clone.name) is ABSENT


def test_commits_that_the_catalog_holds_are_in_no_log():
    located = [("id", "bigint", ""), ("# Detailed Table Information", "", ""), ("Location", "file:/lake", "")]
    answers = {"DESCRIBE": located, "SHOW": [("delta.feature.catalogManaged", "supported")]}
    session = SimpleNamespace(
        rows=lambda text: answers[text.split()[0]], schema=lambda _: to_struct_type(table(column()))
    )

    with pytest.raises(CatalogReadError, match="keeps its newest commits in its catalog, and not in its log"):
        files_of(session, NAME)


def test_files_of_a_log_are_read_by_queries_over_spark_connect():
    answers = {"SELECT content FROM binaryFile.`file:/lake/_delta_log/0.json`": [(b"{}",)]}
    files = SqlFiles(lambda text: answers.get(text, []), "file:/lake/")

    assert files.open("0.json").read() == b"{}"
    with pytest.raises(FileNotFoundError):
        files.open("1.json")
