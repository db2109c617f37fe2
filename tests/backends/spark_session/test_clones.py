"""Clones through any session, by SHALLOW CLONE of real Delta over Spark Connect."""

from __future__ import annotations

from datetime import date

import pytest
from pyspark.sql.types import DateType, LongType, StringType

from pytest_delta_schema import Check, Column, SessionCatalog, Table, assert_no_drift, assert_table_equals
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute.protocols import ABSENT
from support.catalogs.scratch_tables import scratch
from support.installed import INSTALLED

pytestmark = pytest.mark.spark

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
def session(request, local):
    """The session catalog over Spark Connect, or over a classic session where Spark does not contain its server."""
    return SessionCatalog(request.getfixturevalue("remote") if INSTALLED.spark >= (4, 0) else local.spark)


def model(catalog, **options):
    return Table(catalog, "silver", "orders", COLUMNS, comment="All orders", primary_key=["id"], **options)


def run(session, statement, table):
    session.spark.sql(statement.format(table.sql_name)).collect()


def test_writes_to_a_clone_do_not_reach_the_table(session):
    contract = model(
        "spark_catalog",
        table_properties=EVERYTHING,
        partitioned_by=["day"],
        checks=[Check("positive", "id > 0")],
        tags={"owner": "team"},
    )
    first, second = {"id": 1, "code": "a", "day": DAY}, {"id": 2, "code": "b", "day": DAY}
    with scratch(session) as made:
        table = made.table(contract, [first, second], None)
        run(session, "DELETE FROM {} WHERE id = 2", table)

        clone = made.clone(table, None)

        assert_no_drift([table, clone], catalog=session)
        kept = {**first, "note": "none", "next": 2, "number": 1}
        assert_table_equals(clone, [kept], catalog=session)
        run(session, "UPDATE {} SET note = 'changed'", clone)
        run(session, "INSERT INTO {} (id, code, day) VALUES (3, 'c', DATE'2026-01-31')", clone)
        assert [row["number"] for row in session.rows(clone.name) if row["id"] == 3] == [3]
        with pytest.raises(StatementError, match=r"positive \(id > 0\)"):
            session.insert(clone.name, [{"id": -1, "day": DAY}])
        run(session, "DELETE FROM {}", clone)
        assert session.rows(clone.name) == []
        assert_table_equals(table, [kept], catalog=session)
        assert_no_drift([table, clone], catalog=session)

    assert session.version(clone.name) is ABSENT


def test_what_delta_refuses_to_clone_is_an_error_that_names_the_table(session):
    with scratch(session) as made:
        table = made.table(model("dev"), None, None)

        with pytest.raises(StatementError) as caught:
            made.clone(table, None)

    assert caught.value.condition == "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED"
    assert str(caught.value).startswith(f"{table.name} cannot be cloned: [{caught.value.condition}] Failed to execute")
    assert str(caught.value).endswith("; create the table with make_delta_table, and insert its rows")
