"""``--delta-backend``: each name opens its catalog, or names what is missing."""

from __future__ import annotations

import sys

MODEL = "orders = table('dev.silver.orders', Column('id', LongType()))\n"
SESSION = """
import pytest
from pyspark.errors import PySparkException

class Session:
    __module__ = "pyspark.sql.connect.session"

    def sql(self, text):
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
        ["  unreadable  dev.silver.orders: cannot be read (nobody is there); repair the session, *"]
    )
