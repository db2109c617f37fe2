"""``--delta-backend``: each name opens its catalog, or names what is missing."""

from __future__ import annotations

import sys

import pytest

MODEL = "orders = table('dev.silver.orders', Column('id', LongType()))\n"
SESSION = """
import pytest
from pyspark.errors import PySparkException

class Session:
    __module__ = "pyspark.sql.connect.session"

    @property
    def conf(self):
        raise PySparkException("nobody is there")

@pytest.fixture(scope="session")
def delta_spark():
    return Session()
"""


def test_databricks_names_what_is_not_installed(project, monkeypatch):
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
    monkeypatch.setitem(sys.modules, "databricks", None)
    project.models(MODEL)

    result = project.run("--delta-drift", "--delta-backend=databricks", "--snapshot-update")

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        ["  unreadable  *the databricks backend needs databricks-connect here, which cannot be imported *"]
    )


def test_databricks_is_entered_through_the_warehouse_that_was_chosen(project, monkeypatch):
    monkeypatch.setitem(sys.modules, "databricks", None)
    project.ini("delta_models = models", "delta_backend = databricks", "delta_databricks_warehouse = abc")
    project.models(MODEL)

    result = project.run("--delta-drift", "--snapshot-update")

    result.stdout.fnmatch_lines(
        ["  unreadable  *the databricks backend needs databricks-sql-connector and databricks-sdk*"]
    )


def test_session_takes_the_session_of_the_project(project):
    project.pytester.makeconftest(SESSION)
    project.models(MODEL)

    result = project.run("--delta-drift", "--delta-backend=session", "--snapshot-update")

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            (
                "  unreadable  *the Spark session does not answer: nobody is there; see that its server runs and can be"
                " reached"
            )
        ]
    )


@pytest.fixture
def tables(project):
    """Declare 20 tables, whose catalog has a connection that fails."""

    def tables(catalog, raises):
        project.pytester.makeconftest(LOST.replace("{catalog}", catalog).replace("{raises}", raises))
        project.models("".join(f"t{i} = table('dev.silver.t{i}', Column('id', LongType()))\n" for i in range(20)))

    return tables


LOST = """
import pytest
from types import SimpleNamespace
from pyspark.errors import PySparkException
from pytest_delta_schema.backends.databricks import DatabricksCatalog
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.backends.spark_session import SessionCatalog

class RequestError(Exception):
    pass

class SessionAlreadyClosedError(RequestError):
    pass

class Cursor:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def execute(self, sql):
        raise {raises}

class Session:
    __module__ = "pyspark.sql.connect.session"

    def sql(self, text, *_, **__):
        raise {raises}

def rpc_error(code, details):
    text = f'terminated with:\\n\\tstatus = StatusCode.{code}\\n\\tdetails = "{details}"\\n\\tdebug_error_string = "x"'
    return PySparkException(f"<_InactiveRpcError of RPC that {text}>")

@pytest.fixture(scope="session")
def delta_catalog():
    return {catalog}
"""
WAREHOUSE = "DatabricksCatalog(WarehouseConnection(SimpleNamespace(cursor=Cursor)))"
CONNECT = "the Spark Connect server does not answer"


@pytest.mark.parametrize(
    ("catalog", "raises", "reason", "workers"),
    [
        (
            WAREHOUSE,
            "SessionAlreadyClosedError('Invalid access token.')",
            "the SQL warehouse does not answer (Invalid access token.); check that it exists and that the token is valid",
            (),
        ),
        (
            "DatabricksCatalog(SparkConnection(Session()))",
            "rpc_error('UNAUTHENTICATED', 'Token is expired; renew it')",
            f"{CONNECT} (UNAUTHENTICATED: Token is expired; renew it); check that it is running and that the token is valid",
            ("-n2",),
        ),
        (
            "SessionCatalog(Session())",
            "rpc_error('UNAVAILABLE', 'failed to connect')",
            f"{CONNECT} (UNAVAILABLE: failed to connect); check that it is running and that the token is valid",
            (),
        ),
    ],
    ids=["warehouse", "databricks connect", "session"],
)
def test_a_lost_connection_is_reported_once(project, tables, catalog, raises, reason, workers):
    tables(catalog, raises)

    result = project.run("--delta-drift", "-k", "drift", *workers)

    result.assert_outcomes(errors=1, skipped=19, deselected=0 if workers else 40)
    assert [line.strip() for line in result.outlines if reason in line] == [reason, f"unreadable  {reason}"]
    (summary,) = [line for line in result.outlines if line.startswith("ERROR models.py")]
    assert summary.count("dev.silver.t") == 1


def test_a_refused_statement_concerns_its_table_only(project, tables):
    tables(WAREHOUSE, "PermissionError('[INSUFFICIENT_PERMISSIONS] no SELECT')")

    result = project.run("--delta-drift", "-k", "drift")

    result.assert_outcomes(errors=20, deselected=40)
