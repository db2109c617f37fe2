"""Names that need a Spark session; the fixture ``delta_spark`` is the one of the local backend."""

from decimal import Decimal

import pytest

from models import orders
from pytest_delta_schema import (
    LocalCatalog,
    Orchestrator,
    SessionCatalog,
    WriteOptions,
    assert_rows_satisfy,
    empty_frame,
    frame_of,
    open_session,
    to_struct_type,
)
from pytest_delta_schema.backends.local import LocalSession, probe_write, session_conf
from pytest_delta_schema.diagnostics.errors import EffectError, RowsError
from pytest_delta_schema.execute import KeepsVersions, ProbesWrites
from pytest_delta_schema.state import Commit, DataFile

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


def test_local_session(tmp_path):
    with open_session(tmp_path) as session:
        assert isinstance(session, LocalSession)
        assert not session.owned  # the session of the tests was running, and keeps running


def test_session_conf(delta_warehouse):
    conf = session_conf(delta_warehouse)

    assert conf["spark.sql.extensions"] == "io.delta.sql.DeltaSparkSessionExtension"


def test_session_catalog(delta_spark, make_delta_table):
    table = make_delta_table(orders, rows=3)

    assert Orchestrator.over(SessionCatalog(delta_spark)).plan_tables([table]).is_empty


def test_probe_write(delta_catalog):
    verdict = probe_write(orders, to_struct_type(orders), WriteOptions(mode="overwrite"), catalog=delta_catalog)

    assert verdict.accepted


def test_probes_writes(delta_catalog):
    assert isinstance(delta_catalog, ProbesWrites)

    assert delta_catalog.probe_write(orders, to_struct_type(orders).add("note", "string")).rules == ("extra-column",)


def test_keeps_versions(delta_catalog, make_delta_table):
    table = make_delta_table(orders, rows=3)

    assert isinstance(delta_catalog, KeepsVersions)
    newest = delta_catalog.version(table.name)
    assert [len(delta_catalog.rows(table.name, version=version)) for version in (0, newest)] == [0, 3]


def test_commit(delta_catalog, make_delta_table):
    table = make_delta_table(orders, rows=3)

    created, *_, written = delta_catalog.commits(table.name)

    assert isinstance(written, Commit)
    assert (created.version, written.operation, written.metrics["numOutputRows"]) == (0, "WRITE", 3)


def test_data_file(delta_catalog, make_delta_table):
    table = make_delta_table(orders, rows=3)

    files = delta_catalog.commits(table.name)[-1].added

    assert all(isinstance(file, DataFile) for file in files)
    assert sum(file.rows for file in files) == 3


def test_effect_error(delta_effect, delta_catalog, make_delta_table):
    table = make_delta_table(orders)

    with delta_effect(table) as effect:
        delta_catalog.insert(table.name, [{"id": 1, "amount": 5}])

    with pytest.raises(EffectError, match="the job should commit nothing"):
        effect.made_no_commit()


def test_rows_error(delta_spark):
    frame = delta_spark.createDataFrame([(1, Decimal("-9.90"), "open")], to_struct_type(orders))

    with pytest.raises(RowsError, match="check positive"):
        assert_rows_satisfy(orders, frame)
