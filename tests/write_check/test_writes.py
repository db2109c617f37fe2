"""Writes on real Delta: the probe that changes nothing, frames from models, and a stream that meets its contract."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    CatalogReadError,
    Column,
    Table,
    WriteOptions,
    assert_rejects,
    assert_table_equals,
    check_write,
    empty_frame,
    to_struct_type,
)
from pytest_delta_schema.backends.local import probe_write
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.diagnostics.errors import DeclarationError, StatementError
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.testing import Scenario, SparkDataAccess
from pytest_delta_schema.testing.scenario import EVERY_TYPE, INT, LONG, MAPPED, TEXT, VARIANTS, field, struct
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from support.tables import NAME, table
from support.values.writes import BY_ROWS, DOUBLE, PAIRS, A, B, frame

pytestmark = pytest.mark.spark


def made(local, model, rows=()):
    scenario = Scenario(name="writes", before=model, after=model, plan="", sql="", rows=tuple(rows))
    create_initial_tables(scenario, local, SparkDataAccess())
    return model


@pytest.mark.parametrize(
    ("name", "method", "how"),
    [
        ("extra column", "save", {}),
        ("extra column", "write_to", {"merge_schema": True}),
        ("extra column", "save_as_table", {"mode": "overwrite", "overwrite_schema": True}),
        ("wider int", "save", {"auto_merge": True}),
        ("missing column", "insert_into", {}),
        ("missing NOT NULL", "write_to", {}),
        ("int into date", "write_to", {}),
        ("no column", "save", {}),
        ("given identity", "write_to", {}),
        ("extra column", "write_stream", {}),
        (BY_ROWS, "write_to", {}),
        (BY_ROWS, "save", {}),
    ],
)
def test_the_probe_and_the_prediction_have_one_verdict(local, name, method, how):
    pair = PAIRS[name]

    probed, predicted = (
        call(*pair, WriteOptions(method=method, **how))
        for call in (lambda *a, **k: probe_write(*a, **k, catalog=local), check_write)
    )

    assert (probed.accepted, probed.columns, probed.findings) == (
        predicted.accepted,
        predicted.columns,
        predicted.findings,
    )
    assert local.table_names("scratch", "probe") == ()


def test_the_probe_writes_to_a_clone_and_not_to_the_table(local):
    model = table(Column("id", LONG, is_nullable=False), B, table_properties=MAPPED, clustered_by=["id"])
    made(local, model, [{"id": 1, "b": "x"}])
    before = local.snapshot([model]), local.version(NAME), schemas(local)
    given = local.spark.createDataFrame([(2, 1.5)], frame(id=LONG, c=DOUBLE))

    verdict = probe_write("dev.silver.orders", given, WriteOptions(method="write_to", merge_schema=True))

    assert verdict.resulting_schema.simpleString() == "struct<id:bigint,b:string,c:double>"
    assert verdict.table == "dev.silver.orders"
    assert (local.snapshot([model]), local.version(NAME), schemas(local)) == before
    assert local.spark.conf.get("spark.databricks.delta.schema.autoMerge.enabled") == "false"


def schemas(local):
    return sorted(row[0] for row in local.spark.sql("show schemas in scratch").collect())


def test_a_refusal_that_is_not_predicted_has_the_message_of_delta(local, monkeypatch):
    accepted = check_write(table(A), frame(a=INT))
    monkeypatch.setattr("pytest_delta_schema.backends.local.probes.predict_write", lambda *_: accepted)

    (finding,) = probe_write(table(A), frame(c=INT), catalog=local).findings

    assert (finding.rule, finding.code) == ("refused", "DELTA_METADATA_MISMATCH")
    assert finding.message.startswith("[DELTA_METADATA_MISMATCH] A metadata mismatch was detected")


def test_the_probe_needs_something_to_ask(local):
    with pytest.raises(DeclarationError, match="a schema alone belongs to no session; give catalog="):
        probe_write(table(A), frame(a=INT))
    with pytest.raises(DeclarationError, match="what is written is 'a int'; give a DataFrame or its schema"):
        probe_write(table(A), "a int", catalog=local)
    with pytest.raises(CatalogReadError, match=r"dev\.silver\.nothing: is not in the catalog; create it first"):
        probe_write("dev.silver.nothing", frame(a=INT), catalog=local)


def test_a_struct_that_is_left_out_breaks_not_null_row_by_row(local):
    """The prediction for the one pair whose refusal an empty frame does not show."""
    made(local, PAIRS[BY_ROWS].table)
    rows = local.spark.createDataFrame([(1,)], PAIRS[BY_ROWS].frame)

    with pytest.raises(StatementError) as caught, translate_errors(local.bridge.with_logical_names):
        rows.writeTo(dotted(NAME)).append()

    assert caught.value.condition == "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
    assert_rejects(
        PAIRS[BY_ROWS].table, rows, WriteOptions(method="write_to"), reason="DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
    )


def test_an_empty_frame_of_every_type_can_be_appended(local):
    columns = [column for column in [*EVERY_TYPE, *VARIANTS] if column.name != "c_void"]
    model = made(local, table(*columns))

    nothing = empty_frame(local.spark, model)
    nothing.write.mode("append").saveAsTable(dotted(NAME))

    assert nothing.schema == to_struct_type(model)
    assert local.version(NAME) == 0
    assert check_write(model, nothing).accepted


def test_a_model_is_made_from_the_schema_that_spark_shows(local):
    declared = table(
        Column("id", LONG, is_nullable=False, comment="Key"),
        Column("code", spark.VarcharType(9), default="'x'"),
        Column("place", struct(field("lat", DOUBLE, comment="Degrees"))),
    )
    made(local, declared)

    again = Table.from_struct_type(*NAME, local.spark.table(dotted(NAME)).schema)

    assert again.columns == declared.columns


def test_a_stream_stops_at_its_contract(local, tmp_path):
    """A pipeline gains a column: the prediction shows it before the stream fails."""
    contract = made(local, table(A, B))
    source, progress = str(tmp_path / "source"), str(tmp_path / "progress")
    known, grown = frame(a=INT, b=TEXT), frame(a=INT, b=TEXT, c=DOUBLE)
    local.spark.createDataFrame([(1, "x")], known).write.format("parquet").save(source)

    assert check_write(contract, stream(local, source, known), WriteOptions(method="write_stream")).accepted
    run(local, source, known, progress)
    assert_table_equals(contract, [(1, "x")], catalog=local)

    local.spark.createDataFrame([(2, "y", 0.5)], grown).write.format("parquet").mode("append").save(source)
    verdict = check_write(contract, stream(local, source, grown), WriteOptions(method="write_stream"))
    assert verdict.rules == ("extra-column",)
    with pytest.raises(StatementError) as caught, translate_errors(local.bridge.with_logical_names):
        run(local, source, grown, progress)
    assert caught.value.condition == verdict.findings[0].code
    assert_table_equals(contract, [(1, "x")], catalog=local)


def stream(local, source, schema):
    return local.spark.readStream.schema(schema).parquet(source)


def run(local, source, schema, progress):
    writer = stream(local, source, schema).writeStream.format("delta").option("checkpointLocation", progress)
    writer.trigger(availableNow=True).toTable(dotted(NAME)).awaitTermination()
