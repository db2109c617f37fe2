"""Predictions of writes agree with Delta, for every outcome of named pairs.

Every method and mode of every pair is compared with what Delta was recorded to do, without a JVM. Here one way for each
recorded outcome of some pairs is played again. ``make test-all`` plays all pairs in all ways.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import Column, Merge, When, WriteOptions, check_write
from pytest_delta_schema.backends.local import probe_write
from pytest_delta_schema.backends.local.probes import write_frame
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.versions import SparkVersions
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta import PAIRS as SPARK_PAIRS
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.testing import Scenario, SparkDataAccess
from pytest_delta_schema.testing.scenario import INT, TEXT
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.write_check.streams import STREAM_KINDS, answers
from pytest_delta_schema.write_check.verdict import FRAME_METHODS
from support.agreement import Stage
from support.covering import ALL
from support.models import NAME, table
from support.streams import CASES, SAMPLE, play
from support.writes import (
    BY_ROWS,
    CASTS,
    MODES,
    NO_STREAM,
    PAIRS,
    SEVERAL_REASONS,
    STATEMENTS_BY_ROWS,
    A,
    B,
    Pair,
    agree,
    frame,
    one_way_per_outcome,
    outcome,
    recorded_statements,
    shown,
    statement_ways,
)

pytestmark = pytest.mark.spark

UPDATE = WriteOptions(method="update")
APPENDS = ("plain", "mergeSchema", "autoMerge", "overwriteSchema")
CALLS = tuple(method for method in FRAME_METHODS if method != "write_stream")
PLAYED = [*PAIRS] if ALL else [*PAIRS][::4]
STREAMED = ["extra column", "string into int", "extra void"]
WAYS = [(method, mode) for method in CALLS for mode in APPENDS]


def ways_of(name):
    return WAYS if ALL else one_way_per_outcome(name, WAYS)


@pytest.mark.parametrize("name", PLAYED)
def test_predictions_agree_with_delta(name, spark_catalog):
    assert played(spark_catalog, PAIRS[name], ways_of(name)) == []


@pytest.mark.usefixtures("compiled_plans")
@pytest.mark.parametrize("name", [name for name in PAIRS if name not in NO_STREAM] if ALL else STREAMED)
def test_predictions_for_streams_agree_with_delta(name, spark_catalog):
    assert played(spark_catalog, PAIRS[name], [("write_stream", mode) for mode in ("plain", "mergeSchema")]) == []


def played(catalog, pair, ways):
    """Write a pair on Delta, and return the differences from the prediction."""
    stage = Stage(catalog, pair)
    wrong = []
    for method, mode in ways:
        predicted = outcome(check_write(pair.table, pair.frame, replace(MODES[mode], method=method)))
        real = stage.play(method, mode)
        if not agree(predicted, real) and (pair != PAIRS[BY_ROWS] or predicted != "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"):
            wrong.append(f"{method}, {mode}: Delta {real}, predicted {predicted}")
    stage.close()
    return wrong


ANSWERS = {(pair, method, mode): real for pair, method, mode, real in recorded_statements()}
PLAYED_STATEMENTS = ("extra column", "missing NOT NULL", "missing field", "given identity", "wider int, widening")


def chosen(name):
    """Return the ways in which a pair is played: all, or one for each method and outcome."""
    kept_ways: dict[tuple[str, str], tuple[str, str, object]] = {}
    for method, mode, options in statement_ways(name):
        kept_ways.setdefault((method, mode if ALL else ANSWERS[name, method, mode]), (method, mode, options))
    return list(kept_ways.values())


@pytest.mark.parametrize("name", [name for name in PAIRS if any(statement_ways(name))] if ALL else PLAYED_STATEMENTS)
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
    return agree(predicted, STATEMENTS_BY_ROWS.get(way, end)) or (not end and predicted.isupper())


@pytest.mark.parametrize(("given", "stored", "merged", "inserted"), CASTS if ALL else CASTS[::8])
def test_spark_has_no_cast(given, stored, merged, inserted, spark_catalog):
    stage = Stage(spark_catalog, Pair(table(A, Column("v", stored)), frame(v=Column("v", given).data_type)))
    ways = Merge(matched={"v": "v"}), UPDATE, WriteOptions(method="sql_insert", by="name")

    assert [stage.run(way) for way in ways] == [merged, merged, inserted]
    stage.close()


BY_B = table(A, B, partitioned_by=["b"])


@pytest.mark.parametrize(
    ("options", "is_kept"),
    [({"replace_where": "b = 'x'"}, True), ({"dynamic_partitions": True}, True), ({}, False)],
    ids=["replaceWhere", "dynamic", "all"],
)
def test_an_overwrite_replaces_the_rows_that_are_said(options, is_kept, local):
    made(local, BY_B)
    local.spark.sql(f"INSERT INTO {dotted(NAME)} VALUES (1, 'x'), (2, 'y')")
    rows = local.spark.createDataFrame([(3, "x")], frame(a=INT, b=TEXT))

    write_frame(rows, NAME, table_folder(local.warehouse, NAME), WriteOptions(mode="overwrite", **options))

    kept = [(2, "y")] if is_kept else []
    assert sorted(map(tuple, local.spark.table(dotted(NAME)).collect())) == [*kept, (3, "x")]


@pytest.mark.parametrize(
    ("pair", "options"),
    [
        ("extra column", WriteOptions(method="save_as_table", mode="overwrite", overwrite_schema=True)),
        ("extra column", WriteOptions(method="write_stream")),
        ("wider int", WriteOptions(auto_merge=True)),
        ("missing column", WriteOptions(method="insert_into")),
        ("missing NOT NULL", WriteOptions(method="write_to")),
        ("no column", WriteOptions()),
        (BY_ROWS, WriteOptions(method="write_to")),
        ("extra column", Merge(matched="all", not_matched="all", evolves=True)),
        ("equal", Merge(matched=[When("source.a = 1", "delete"), "all"], not_matched_by_source={"b": TEXT})),
        ("equal", Merge(matched=When("source.z = 1", "delete"))),
        ("extra field", Merge(matched={"v": "v", "v.x": "v.x"}, evolves=True)),
        ("wider int", WriteOptions(method="sql_insert", by=["V", "a"])),
        ("wider int", UPDATE),
        ("partitioned", WriteOptions(mode="overwrite", replace_where="b = 'x'")),
    ],
    ids=str,
)
def test_the_probe_and_the_prediction_have_one_verdict(pair, options, local):
    model, given = PAIRS[pair]

    probed, predicted = probe_write(model, given, options, catalog=local), check_write(model, given, options)

    assert (probed.accepted, probed.columns, probed.findings, probed.replaces) == (
        predicted.accepted,
        predicted.columns,
        predicted.findings,
        predicted.replaces,
    )
    assert local.table_names("scratch", "probe") == ()


@pytest.mark.parametrize(("model", "given", "options", "codes"), SEVERAL_REASONS if ALL else SEVERAL_REASONS[::3])
def test_delta_tells_the_first_reason(model, given, options, codes, spark_catalog):
    stage = Stage(spark_catalog, Pair(model, given))

    assert agree(codes[0] if codes else shown(stage.before.columns), stage.run(options))
    stage.close()


def made(local, model):
    scenario = Scenario(name="writes", before=model, after=model)
    create_initial_tables(scenario, local, SparkDataAccess())
    return model


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in CASES for kind in STREAM_KINDS] if ALL else SAMPLE)
def test_a_stream_does_what_was_recorded(name, kind, spark_catalog):
    verdict = play(spark_catalog, CASES[name], kind)

    assert (verdict.answer, verdict.condition, verdict.remedy) == answers()[name.lower(), kind]
