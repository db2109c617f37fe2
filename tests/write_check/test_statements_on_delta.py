"""Statements and partial overwrites on real Delta, and with rows where rows decide: all, or a sample of each kind."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from pytest_delta_schema import Column, Merge, When, WriteOptions, check_write
from pytest_delta_schema.backends.local import probe_write
from pytest_delta_schema.backends.local.probes import insert_sql, merge_sql, write_frame
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import SparkVersions
from pytest_delta_schema.backends.spark.statements import setting
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta import PAIRS as SPARK_PAIRS
from pytest_delta_schema.diagnostics.errors import DeclarationError, StatementError
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.testing import Scenario, SparkDataAccess
from pytest_delta_schema.testing.scenario import INT, TEXT, field
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from support.covering import ALL
from support.tables import NAME, table
from support.values.agreement import Stage
from support.values.statements import BY_ROWS, recorded_statements, ways
from support.values.writes import BYTE, DOUBLE, PAIRS, A, B, agree, frame, outcome

pytestmark = pytest.mark.spark

ANSWERS = {(pair, method, mode): real for pair, method, mode, real in recorded_statements()}
PLAYED = (
    "extra column",
    "missing NOT NULL",
    "missing field",
    "given identity",
    "wider int, widening",
)


def chosen(name):
    """Return the ways in which a pair is played: all, or one for each method and outcome."""
    kept_ways: dict[tuple[str, str], tuple[str, str, object]] = {}
    for method, mode, options in ways(name):
        kept_ways.setdefault((method, mode if ALL else ANSWERS[name, method, mode]), (method, mode, options))
    return list(kept_ways.values())


@pytest.mark.parametrize("name", [name for name in PAIRS if any(ways(name))] if ALL else PLAYED)
def test_statements_come_to_what_was_recorded_or_is_predicted_for_an_older_delta(name, spark_catalog):
    versions = SparkVersions.of(spark_catalog.spark, spark_catalog.spark.sparkContext._gateway)
    is_newest = (versions.spark, versions.delta) == (SPARK_PAIRS[-1].spark, NEWEST)
    try:
        stage = Stage(spark_catalog, PAIRS[name])
    except StatementError:
        if is_newest:
            raise
        pytest.skip("this version cannot have the table")
    played = [way for way in chosen(name) if is_newest or not _is_newer_clause(way[2], versions)]
    real = {(name, method, mode): stage.run(options) for method, mode, options in played}
    stage.close()

    if is_newest:
        assert {way: end for way, end in real.items() if end != ANSWERS[way]} == {}
    else:
        predicted = {(name, method, mode): predicted_end(name, options, versions) for method, mode, options in played}
        assert {way: (end, predicted[way]) for way, end in real.items() if not agrees(predicted[way], end, way)} == {}


def _is_newer_clause(options, versions):
    """Whether the newest Delta has a clause that this Spark does not parse, which the version of Delta cannot tell."""
    return versions.delta == NEWEST and isinstance(options, WriteOptions) and options.evolves


def predicted_end(name, options, versions):
    """Return what is predicted for a pair that is written to a version of Delta."""
    model, given = PAIRS[name]
    takes_rows = getattr(options, "method", "merge") != "delete"
    return outcome(check_write(model, given if takes_rows else None, options, version=versions.delta))


def agrees(predicted, end, way):
    """Whether a write ends as predicted; older versions refuse some without a condition."""
    return agree(predicted, BY_ROWS.get(way, end)) or (not end and predicted.isupper())


STORED = {"missing NOT NULL field": (1, (1, "y")), "extra struct with void": (1,), "append only": (1, "y")}


@contextmanager
def given_view(rows):
    """Name the view of some rows, which is gone after the block."""
    rows.createOrReplaceTempView("given_rows")
    try:
        yield "given_rows"
    finally:
        rows.sparkSession.catalog.dropTempView("given_rows")


GIVEN = {"missing NOT NULL field": (1, ("y",)), "extra struct with void": (1, (None,)), "append only": (1, "x")}


ONE_OF_EACH_REFUSAL = list(
    {(method, condition): (pair, method, mode) for (pair, method, mode), condition in BY_ROWS.items()}.values()
)


@pytest.mark.parametrize("way", BY_ROWS if ALL else ONE_OF_EACH_REFUSAL, ids=" ".join)
def test_what_an_empty_frame_does_not_show_is_refused_for_rows(way, local):
    pair, method, mode = way
    options = next(options for *how, options in ways(pair) if how == [method, mode])
    made(local, PAIRS[pair].table)
    if mode.startswith(("update", "delete", "both")):
        schema = local.spark.table(dotted(NAME)).schema
        local.spark.createDataFrame([STORED[pair]], schema).writeTo(dotted(NAME)).append()
    given = [] if "others" in mode else [GIVEN.get(pair, (1,))]
    rows = local.spark.createDataFrame(given, PAIRS[pair].frame)
    render = merge_sql if method == "merge" else insert_sql

    with (
        given_view(rows) as view,
        pytest.raises(StatementError) as caught,
        translate_errors(local.bridge.with_logical_names),
    ):
        local.spark.sql(render(options, dotted(NAME), view))

    assert caught.value.condition == BY_ROWS[way]


def test_null_for_a_not_null_column_fails_for_rows(local):
    model = made(local, table(Column("a", INT, is_nullable=False)))
    local.spark.sql(f"INSERT INTO {dotted(NAME)} VALUES (1)")

    with pytest.raises(StatementError) as caught, translate_errors(local.bridge.with_logical_names):
        local.spark.sql(f"UPDATE {dotted(NAME)} SET a = NULL")

    verdict = check_write(model, frame(field("a", PAIRS["extra void"].frame["c"].dataType)), UPDATE)
    assert caught.value.condition == verdict.findings[0].code


UPDATE = WriteOptions(method="update")
BY_B = table(A, B, partitioned_by=["b"])
ALL_ROWS, CONDITION, PARTITIONS = (
    "all rows",
    "the rows where b = 'x'",
    "the partitions by b that the frame has rows for",
)


OVERWRITES = [
    (BY_B, {"replace_where": "b = 'x'"}, CONDITION),
    (BY_B, {"dynamic_partitions": True}, PARTITIONS),
    (BY_B, {"dynamic_partitions": True, "overwrite_schema": True}, ALL_ROWS),
    (BY_B, {"replace_where": "b = 'x'", "overwrite_schema": True}, CONDITION),
    (BY_B, {}, ALL_ROWS),
    (table(A, B), {"dynamic_partitions": True}, ALL_ROWS),
    (table(A, B), {"replace_where": "b = 'x'"}, CONDITION),
]


@pytest.mark.parametrize(("model", "options", "replaces"), OVERWRITES if ALL else OVERWRITES[:3])
@pytest.mark.parametrize(
    "method", ["save", "save_as_table", "insert_into", "write_to", "sql_insert"] if ALL else ["save", "sql_insert"]
)
def test_an_overwrite_replaces_the_rows_that_are_said(model, options, replaces, method, local):
    if method == "sql_insert" and "overwrite_schema" in options:
        pytest.skip("an INSERT does not overwrite the schema")
    made(local, model)
    local.spark.sql(f"INSERT INTO {dotted(NAME)} VALUES (1, 'x'), (2, 'y')")
    rows = local.spark.createDataFrame([(3, "x")], frame(a=INT, b=TEXT))
    how = WriteOptions(method=method, mode="overwrite", **options)

    if method == "sql_insert":
        mode = "dynamic" if how.dynamic_partitions else "static"
        with given_view(rows) as view, setting(local.spark, "spark.sql.sources.partitionOverwriteMode", mode):
            local.spark.sql(insert_sql(how, dotted(NAME), view))
    else:
        write_frame(rows, NAME, table_folder(local.warehouse, NAME), how)

    kept = [] if replaces == ALL_ROWS else [(2, "y")]
    assert sorted(map(tuple, local.spark.table(dotted(NAME)).collect())) == [*kept, (3, "x")]
    assert check_write(model, rows, how).replaces == replaces


@pytest.mark.parametrize(
    ("pair", "options"),
    [
        ("extra column", Merge(matched="all", not_matched="all", evolves=True)),
        ("extra column", Merge(not_matched={"a": "a", "c": "c"})),
        ("int into date", Merge(matched={"v": "v"})),
        ("equal", Merge(matched=[When("source.a = 1", "delete"), "all"], not_matched_by_source={"b": TEXT})),
        ("equal", Merge(matched=When("source.z = 1", "delete"))),
        ("equal", Merge(matched=When("a = 1", "delete"))),
        ("equal", Merge(not_matched=When("target.a = 1", "all"))),
        ("extra field", Merge(matched={"v.x": "v.x"})),
        ("extra field", Merge(matched={"a.x": "a"})),
        ("extra field", Merge(matched={"v": "v", "v.x": "v.x"}, evolves=True)),
        ("extra field", Merge(not_matched={"v.x": "v.x"})),
        ("extra field", Merge(matched={"v.y": "v.y"}, evolves=True)),
        ("equal", Merge(matched={"b": DOUBLE, "a": "zz"})),
        ("append only", Merge(matched="delete")),
        ("wider int", WriteOptions(method="sql_insert", by=["V", "a"])),
        ("equal", WriteOptions(method="sql_insert", by=["a"])),
        ("equal", WriteOptions(method="sql_insert", by=["a", "b"], mode="overwrite", dynamic_partitions=True)),
        ("wider int", UPDATE),
        ("partitioned", WriteOptions(mode="overwrite", replace_where="b = 'x'")),
        ("partitioned", WriteOptions(method="save_as_table", partition_by=["a"])),
        ("partitioned", WriteOptions(mode="overwrite", overwrite_schema=True, partition_by=["a"])),
    ],
    ids=str,
)
def test_the_probe_and_the_prediction_of_a_statement_have_one_verdict(pair, options, local):
    model, given = PAIRS[pair]

    probed, predicted = probe_write(model, given, options, catalog=local), check_write(model, given, options)

    assert (probed.accepted, probed.columns, probed.findings, probed.replaces) == (
        predicted.accepted,
        predicted.columns,
        predicted.findings,
        predicted.replaces,
    )


def test_the_probe_deletes_without_a_frame(local):
    delete = WriteOptions(method="delete")

    assert probe_write(table(A, B), None, delete, catalog=local).accepted
    assert probe_write(PAIRS["append only"].table, None, delete, catalog=local).rules == ("append-only",)
    with pytest.raises(DeclarationError, match="a delete takes no frame, and was given StructType"):
        probe_write(table(A, B), frame(a=BYTE), delete, catalog=local)


def made(local, model):
    scenario = Scenario(name="writes", before=model, after=model, plan="", sql="")
    create_initial_tables(scenario, local, SparkDataAccess())
    return model
