"""Names that need a Spark session; the fixture ``delta_spark`` is the one of the local backend."""

from decimal import Decimal

import pytest

from models import orders
from pytest_delta_schema import (
    LocalCatalog,
    Orchestrator,
    SessionCatalog,
    assert_rows_satisfy,
    empty_frame,
    frame_of,
    open_session,
    to_struct_type,
)

pytestmark = pytest.mark.spark


def test_assert_rows_satisfy(delta_spark):
    rows = [(1, Decimal("9.90"), "open"), (2, Decimal("5.00"), None)]

    assert_rows_satisfy(orders, delta_spark.createDataFrame(rows, to_struct_type(orders)))


def test_frame_of(delta_spark):
    frame = frame_of(delta_spark, orders, rows=100, status="open")

    assert frame.where("status = 'open' AND amount > 0").count() == 100


def test_empty_frame(delta_spark):
    assert empty_frame(delta_spark, orders).columns == ["id", "amount", "status"]


def test_local_catalog(delta_spark, delta_warehouse, make_delta_table):
    table = make_delta_table(orders, rows=3)

    catalog = LocalCatalog(delta_spark, warehouse=delta_warehouse)

    assert len(catalog.rows(table.name)) == 3


def test_open_session(tmp_path):
    with open_session(tmp_path, conf={"spark.sql.shuffle.partitions": "1"}) as session:
        Orchestrator.over(LocalCatalog(session.spark, warehouse=tmp_path)).sync_tables([orders])


def test_session_catalog(delta_spark, make_delta_table):
    table = make_delta_table(orders, rows=3)

    assert Orchestrator.over(SessionCatalog(delta_spark)).plan_tables([table]).is_empty
