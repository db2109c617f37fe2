"""A batch brings a column that the table lacks. Delta refuses it, evolves, or replaces the schema: as the writer says.

Every step is foretold without Spark, and then done for real.
"""

import pytest
from lending.models import loans_by_state, with_amount
from pyspark.errors import AnalysisException
from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

from pytest_delta_schema import (
    DriftError,
    WriteOptions,
    assert_accepts,
    assert_evolves,
    assert_no_drift,
    assert_rejects,
    check_write,
)
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.report import plan_script, schema_diff

BATCH = StructType(
    [StructField("addr_state", StringType()), StructField("count", LongType()), StructField("amount", DoubleType())]
)
RETYPED = StructType([StructField("addr_state", StringType()), StructField("count", StringType())])


@pytest.fixture
def table(make_delta_table):
    return make_delta_table(loans_by_state, rows=[{"addr_state": "IA", "count": 3}])


@pytest.fixture
def batch(delta_spark):
    return delta_spark.createDataFrame([("IA", 3, 563.2), ("AL", 2, 120.5)], BATCH)


def test_a_batch_with_another_column_is_refused(table, batch, delta_spark, delta_probe, snapshot):
    verdict = assert_rejects(loans_by_state, batch, WriteOptions(method="save_as_table"), reason="extra-column")

    assert str(verdict) == snapshot
    assert schema_diff(loans_by_state, batch, names=("table", "batch")) == snapshot
    assert delta_probe(loans_by_state, batch, WriteOptions(method="save_as_table")).findings == verdict.findings
    with pytest.raises(AnalysisException) as caught:
        batch.write.mode("append").saveAsTable(table.qualified_name)
    assert caught.value.getCondition() == verdict.findings[0].code
    assert delta_spark.table(table.qualified_name).count() == 1


def test_merge_schema_adds_the_column_and_the_gate_names_the_writer(table, batch, delta_spark, delta_catalog):
    assert_evolves(loans_by_state, batch, to=with_amount())

    batch.write.mode("append").option("mergeSchema", "true").saveAsTable(table.qualified_name)

    assert delta_spark.table(table.qualified_name).columns == ["addr_state", "count", "amount"]
    with pytest.raises(DriftError, match="column amount was appended by a writer, in version 2, WRITE of "):
        assert_no_drift(table, catalog=delta_catalog)


def test_the_contract_catches_up(table, batch, delta_catalog, delta_snapshot):
    batch.write.mode("append").option("mergeSchema", "true").saveAsTable(table.qualified_name)
    grown = with_amount()
    grown.schema_name, grown.catalog_name = table.schema_name, table.catalog_name

    plan = TablePlanner().plan([grown], delta_catalog.snapshot([grown]))

    assert plan_script(plan).replace(table.schema_name, "lending") == delta_snapshot


def test_overwrite_schema_replaces_what_nothing_can_merge(table, delta_spark, snapshot):
    retyped = delta_spark.createDataFrame([("IA", "three")], RETYPED)

    refused = assert_rejects(loans_by_state, retyped, WriteOptions(merge_schema=True), reason="type-mismatch")
    assert str(refused) == snapshot
    verdict = assert_accepts(loans_by_state, retyped, WriteOptions(mode="overwrite", overwrite_schema=True))
    retyped.write.mode("overwrite").option("overwriteSchema", "true").saveAsTable(table.qualified_name)

    assert [field.dataType for field in delta_spark.table(table.qualified_name).schema] == [
        field.dataType for field in verdict.resulting_schema
    ]


def test_by_the_tables_name_numbers_in_texts_are_cast_and_by_position_anything_is(table, delta_spark):
    texts = delta_spark.createDataFrame([("AL", "2")], RETYPED)

    verdict = assert_accepts(loans_by_state, texts, WriteOptions(method="write_to"))
    (note,) = verdict.notes
    assert note.message == "count is cast from string to bigint; a value that does not fit fails"
    texts.writeTo(table.qualified_name).append()

    swapped = StructType([RETYPED["count"], RETYPED["addr_state"]])
    assert check_write(loans_by_state, swapped, WriteOptions(method="insert_into")).accepted
    assert sorted(tuple(row) for row in delta_spark.table(table.qualified_name).collect()) == [("AL", 2), ("IA", 3)]
