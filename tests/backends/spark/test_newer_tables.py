"""Tables of newer clients in Spark: shown where Spark opens them, and otherwise unreadable with Spark's reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.errors import PySparkException

from pytest_delta_schema import UnsafePlanError
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.engine import Orchestrator
from pytest_delta_schema.state.desired import declared_table
from pytest_delta_schema.state.types import describe_type
from support.delta_logs.future_logs import FUTURE_LOGS, NO_SCHEMA, READABLE_LOGS
from support.tables import column, table

pytestmark = pytest.mark.spark

NAMES = {name: table(column(), name=f"dev.silver.t{number}") for number, name in enumerate(FUTURE_LOGS)}
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


def test_the_local_backend_shows_what_spark_opens(local_tables):
    state, without_schema = require_shown(local_tables, REFUSED_BY_READ)

    assert "holds metadata without a schema" in state.problems[without_schema].message


def test_a_session_shows_what_spark_opens(local_tables, remote):
    state, without_schema = require_shown(SessionCatalog(local_tables.spark), REFUSED_BY_READ)
    assert "holds metadata without a schema" in state.problems[without_schema].message

    state, without_schema = require_shown(SessionCatalog(remote), REFUSED_BY_SQL)
    assert state.tables[without_schema].columns == ()


@pytest.mark.parametrize("name", ["collated string", "interval"])
def test_no_statement_runs_on_a_table_that_delta_refuses_to_change(local_tables, name):
    model = declared_table(local_tables.snapshot([NAMES[name]]).tables[NAMES[name].name])
    model = replace(model, comment="Orders")

    with pytest.raises(UnsafePlanError, match=r"Delta refuses to change a table with columns of types .* \(t "):
        Orchestrator.over(local_tables).sync_tables([model])
    for statement in (
        f"COMMENT ON TABLE {model.qualified_name} IS 'Orders'",
        f"ALTER TABLE {model.qualified_name} SET TBLPROPERTIES ('team' = 'x')",
        f"ALTER TABLE {model.qualified_name} ADD COLUMNS (u INT)",
    ):
        with pytest.raises(PySparkException, match="DELTA_UNSUPPORTED_DATA_TYPES"):
            local_tables.spark.sql(statement)
