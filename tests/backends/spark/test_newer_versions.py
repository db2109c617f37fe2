"""Older and newer Spark and Delta: what is split or refused for them, and tables of newer versions."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from pyspark.sql.types import DoubleType, FloatType, ShortType, VarcharType

from pytest_delta_schema import (
    Column,
    Identity,
    MemoryCatalog,
    Orchestrator,
    SessionCatalog,
)
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA, SparkVersions
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.properties import REGISTRY
from pytest_delta_schema.execute import Capabilities, Refusal
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import StatementKind, statements
from pytest_delta_schema.sql.statement import TOGETHER
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, table
from support.damaged_logs import FUTURE_LOGS, NO_SCHEMA, READABLE_LOGS
from support.models import column
from support.models import table as newer_tables_table

OLDEST = SparkVersions(spark=(3, 5), delta=(3, 3))


def created(*columns):
    return statement_of(planned([], [table(*columns)]), StatementKind.CREATE_TABLE)


def retyped(*columns):
    before = [Column(name, kind) for name, kind, _ in columns]
    after = [Column(name, kind) for name, _, kind in columns]
    return statement_of(planned([table(*before)], [table(*after)]), StatementKind.CHANGE_TYPES)


def relaid():
    columns = [Column("id", LONG), Column("r", TEXT)]
    return statement_of(
        planned([table(*columns)], [table(*columns, partitioned_by=["r"])]),
        StatementKind.REWRITE_LAYOUT,
    )


def planned(before, after):
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables(before)
    return TablePlanner().plan(after, catalog.snapshot(after))


def statement_of(plan, kind):
    return next(statement for action in plan.actions for statement in statements(action) if statement.kind is kind)


NEWER = "install delta-spark 4.4.0 and a pyspark that it is built for, such as 4.2.0"
COPY = "create the table again under another name and copy the rows"


def test_what_a_version_of_delta_cannot_do_is_refused_by_rule():
    identity, default = Column("id", LONG, identity=True), Column("id", LONG, default="1")
    own_ids, text = Column("id", LONG, identity=Identity(always=False)), ("a", TEXT, INT)
    generated = [identity, Column("a", INT), Column("b", INT, generated_as="a")]
    no_sql = "has no SQL for generated and identity columns"
    reads = "cannot read rows back before they are committed, which shows that none has changed"
    copy, add = (f"{text}, or {NEWER}" for text in (COPY, "add a column of the new type"))
    widened = [("a", INT, LONG), ("b", ShortType(), INT), ("c", FloatType(), DoubleType())]
    for delta, statement, refusal in (
        ((3, 3), created(*generated), Refusal(f"Delta 3.3 {no_sql} (id, b)", NEWER)),
        ((4, 3), created(own_ids), Refusal(f"Delta 4.3 {no_sql} (id)", NEWER)),
        ((4, 4), created(identity), None),
        ((3, 3), created(default), None),
        ((3, 3), relaid(), Refusal(f"Delta 3.3 {reads}", copy)),
        ((4, 0), relaid(), Refusal(f"Delta 4.0 {reads}", copy)),
        ((4, 4), relaid(), None),
        ((3, 3), retyped(*widened), Refusal("Delta 3.3 does not widen int to bigint, float to double", add)),
        ((3, 3), retyped(("a", ShortType(), INT), ("v", VarcharType(1), TEXT)), None),
        ((4, 0), retyped(("a", INT, LONG)), None),
        # No version widens text to int.
        ((4, 4), retyped(text), None),
        ((3, 3), retyped(text, ("b", INT, LONG)), Refusal("Delta 3.3 does not widen int to bigint", add)),
    ):
        capabilities = SparkVersions(spark=(4, 0), delta=delta).limit(OPEN_SOURCE_DELTA)

        assert capabilities.refuses(statement) == refusal
    own = Capabilities(refuses=lambda _: Refusal("no", "do not"))  # what a backend refuses itself comes first
    assert OLDEST.limit(own).refuses(created(identity)) == Refusal("no", "do not")


def test_only_an_older_spark_takes_columns_one_by_one():
    assert OLDEST.limit(OPEN_SOURCE_DELTA).splits == TOGETHER - {StatementKind.TIGHTEN_COLUMNS}
    assert SparkVersions(spark=(4, 0), delta=(4, 0)).limit(OPEN_SOURCE_DELTA).splits == frozenset()


@pytest.mark.spark
def test_a_session_shows_the_versions_that_are_installed(local):
    spark, delta = (tuple(map(int, version(name).split(".")[:2])) for name in ("pyspark", "delta-spark"))

    shown = SparkVersions.of(local.spark, local.bridge.gateway)
    assert (shown.spark, shown.delta) == (spark, delta)
    # An older Delta knows fewer properties.
    assert shown.properties == REGISTRY if delta == NEWEST else shown.properties < REGISTRY
    # Over Spark Connect there is no gateway.
    assert SparkVersions.of(local.spark, None) == SparkVersions(spark=spark)


NAMES = {name: newer_tables_table(column(), name=f"dev.silver.t{number}") for number, name in enumerate(FUTURE_LOGS)}
REFUSED = {
    "nanoseconds": "[INVALID_JSON_DATA_TYPE]",
    "type as an object": "[INVALID_JSON_DATA_TYPE]",
    "feature for readers": "[DELTA_UNSUPPORTED_FEATURES_FOR_READ]",
    "protocol version": "[EXPRESSION_DECODING_FAILED]",
}
"""What Spark refuses to open (Spark 4.2.0 with Delta 4.4.0), and its conditions."""
REFUSED_BY_SQL = {
    **REFUSED,
    "geometry": "[DELTA_GEOSPATIAL_NOT_SUPPORTED]",
    "geographies": "[DELTA_GEOSPATIAL_NOT_SUPPORTED]",
}
REFUSED_BY_READ = {**REFUSED_BY_SQL, "time of day": "[UNSUPPORTED_TIME_TYPE]"}
"""What Spark refuses to read as a frame; SQL, as over Spark Connect, still describes a table with a time column."""


@pytest.fixture
def local_tables(local):
    local.create_schema("dev", "silver")
    for name, log in FUTURE_LOGS.items():
        log.write(table_folder(local.warehouse, NAMES[name].name))
    return local


def require_shown(catalog, refused):
    state = catalog.snapshot(NAMES.values())
    shown = {
        name: describe_type(state.tables[NAMES[name].name].columns[1].data_type)
        for name in READABLE_LOGS
        if name not in refused
    }
    assert shown == {name: log.shown for name, log in READABLE_LOGS.items() if name not in refused}
    for name, condition in refused.items():
        problem = state.problems[NAMES[name].name]
        assert problem.message.startswith("is unreadable, because Spark refuses to open it ("), name
        assert condition in problem.message, name
        assert problem.remedy == (
            "read it with a newer pair of pyspark and delta-spark, or with the unity backend, which reads the log"
        )
    return state, NAMES[NO_SCHEMA].name


@pytest.mark.spark
def test_the_local_backend_and_a_session_show_what_spark_opens(local_tables, remote):
    for catalog in (local_tables, SessionCatalog(local_tables.spark)):
        state, without_schema = require_shown(catalog, REFUSED_BY_READ)
        assert "holds metadata without a schema" in state.problems[without_schema].message

    state, without_schema = require_shown(SessionCatalog(remote), REFUSED_BY_SQL)
    assert state.tables[without_schema].columns == ()
