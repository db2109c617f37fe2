"""Predictions of writes agree with Delta: for every outcome of named pairs, and for random nested pairs.

Every method and mode of every pair is compared with what Delta was recorded to do, without a JVM. Here one way for each
recorded outcome is played again. ``make test-all`` plays all pairs in all ways, and more random ones.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Merge, When, WriteOptions, check_write
from pytest_delta_schema.backends.local import probe_write
from pytest_delta_schema.backends.local.probes import merge_sql, write_frame
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.backends.spark.versions import SparkVersions
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta import PAIRS as SPARK_PAIRS
from pytest_delta_schema.diagnostics.errors import DeclarationError, StatementError
from pytest_delta_schema.sql import dotted
from pytest_delta_schema.sql.quoting import insert_sql
from pytest_delta_schema.testing import Scenario, SparkDataAccess
from pytest_delta_schema.testing.scenario import INT, TEXT, WIDENS, field
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.write_check import check_stream
from pytest_delta_schema.write_check.streams import STREAM_KINDS, answers
from pytest_delta_schema.write_check.verdict import FRAME_METHODS
from support.agreement import RowStage, Stage
from support.cells import PAIRS as CELL_PAIRS
from support.cells import Cell
from support.covering import ALL
from support.models import NAME, table
from support.record import ROWS as ROWS_RECORD
from support.record import VERSIONS, versions
from support.record import recorded as lines_of
from support.streams import CASES, SAMPLE, SEVERAL, play, states
from support.writes import (
    BY_ROWS,
    BYTE,
    CASTS,
    DOUBLE,
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

APPENDS = ("plain", "mergeSchema", "autoMerge", "overwriteSchema")
CALLS = tuple(method for method in FRAME_METHODS if method != "write_stream")
ALIKE = {
    *("array into string", "array of more in a struct", "array of others in a struct"),
    *("array of others, never NULL", "commented", "duplicate beside a cast", "lengths below"),
    *("map in a struct", "map of others", "missing NOT NULL partition", "struct for a string in a struct"),
    *("two of other types", "void in a struct beside a cast", "byte and wider, widening", "char and varchar"),
    *("clustered", "date into timestamp", "decimal of more scale, widening", "decimal of other scale"),
    *("double into decimal", "double into float", "elements never NULL", "equal", "extra NOT NULL column"),
    *("extra field in map key", "extra field of checked struct", "extra odd name, mapped", "extra void"),
    *("float into double", "float to double, widening", "given open identity", "int into bigint"),
    *("int into boolean", "missing NOT NULL default", "retyped element", "int into decimal", "int into string"),
    *("int into varchar", "int to decimal, widening", "mapped", "mapped, missing", "missing checked"),
    *("missing clustered", "missing field in array", "missing identity", "ntz into timestamp", "partitioned"),
    *("retyped default", "retyped map key", "retyped map value", "smaller int", "smaller int, widening"),
    *("string into binary", "string into int, widening", "string into timestamp", "string into variant"),
    *("struct into string", "timestamp into date", "void into field", "void into void", "wider decimal"),
    *("wider decimal, widening", "wider element", "wider element, widening"),
}
PLAYED = [name for name in PAIRS if ALL or name not in ALIKE]
STREAMED = ["equal", "extra column", "string into int", "int into boolean", "extra void", "wider int, widening"]
WAYS = [(method, mode) for method in CALLS for mode in APPENDS]


def ways_of(name):
    return WAYS if ALL else one_way_per_outcome(name, WAYS)


def test_enough_pairs_are_played():
    assert PAIRS.keys() >= ALIKE
    assert len(PLAYED) >= 60


def test_every_way_is_played():
    counts = Counter(way for name in PLAYED for way in ways_of(name))

    assert [way for way in WAYS if counts[way] < 3] == []


@pytest.mark.parametrize("name", PLAYED)
def test_predictions_agree_with_delta(name, spark_catalog):
    assert played(spark_catalog, PAIRS[name], ways_of(name)) == []


@pytest.mark.usefixtures("compiled_plans")
@pytest.mark.parametrize("name", [name for name in PAIRS if name not in NO_STREAM] if ALL else STREAMED)
def test_predictions_for_streams_agree_with_delta(name, spark_catalog):
    assert played(spark_catalog, PAIRS[name], [("write_stream", mode) for mode in ("plain", "mergeSchema")]) == []


ATOMS = st.sampled_from(
    [
        spark.ByteType(),
        spark.IntegerType(),
        spark.LongType(),
        spark.DoubleType(),
        spark.DecimalType(10, 2),
        spark.StringType(),
        spark.BooleanType(),
        spark.DateType(),
        spark.TimestampType(),
        spark.BinaryType(),
        spark.NullType(),
    ]
)
NAMES = st.sampled_from(["a", "b", "c", "d"])


def structs(inner):
    return st.lists(st.tuples(NAMES, inner), min_size=1, max_size=3, unique_by=lambda pair: pair[0]).map(
        lambda pairs: spark.StructType([field(name, kind) for name, kind in pairs])
    )


TYPES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        structs(inner), inner.map(spark.ArrayType), inner.map(lambda kind: spark.MapType(spark.StringType(), kind))
    ),
    max_leaves=4,
).filter(lambda kind: "void" not in kind.simpleString() or kind == spark.NullType())


@st.composite
def changed(draw, kind):
    """Return a type like another one: the same, one with other parts, or any."""
    if draw(st.integers(0, 5)) == 0:
        return draw(TYPES)
    if isinstance(kind, spark.ArrayType):
        return spark.ArrayType(draw(changed(kind.elementType)))
    if isinstance(kind, spark.MapType):
        return spark.MapType(kind.keyType, draw(changed(kind.valueType)))
    return draw(changed_struct(kind)) if isinstance(kind, spark.StructType) else kind


@st.composite
def changed_struct(draw, struct):
    """Return a struct like another one, with fields less, more, in another order, or in capitals."""
    fields = [field for field in struct.fields if draw(st.integers(0, 5))]
    fields = [
        field(item.name.upper() if draw(st.integers(0, 4)) == 0 else item.name, draw(changed(item.dataType)))
        for item in fields
    ]
    if draw(st.integers(0, 2)) == 0:
        new = draw(st.sampled_from(["e", "f"]))
        fields.insert(draw(st.integers(0, len(fields))), field(new, draw(TYPES)))
    if draw(st.integers(0, 3)) == 0:
        fields = draw(st.permutations(fields))
    return spark.StructType(fields or [field("e", spark.IntegerType())])


@st.composite
def pairs(draw):
    stored = draw(structs(TYPES))
    columns = [Column(field.name, field.dataType, is_nullable=draw(st.integers(0, 5)) > 0) for field in stored.fields]
    properties = WIDENS if draw(st.booleans()) else {}
    return Pair(table(*columns, table_properties=properties), draw(changed_struct(stored)))


@settings(
    max_examples=500 if ALL else 25,
    derandomize=not ALL,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(pair=pairs(), data=st.data())
def test_predictions_for_random_pairs_agree_with_delta(pair, data, spark_catalog):
    ways = [(method, mode) for method in CALLS for mode in APPENDS[:3]]
    chosen = data.draw(st.lists(st.sampled_from(ways), min_size=2, max_size=2, unique=True))

    assert played(spark_catalog, pair, chosen) == []


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
    {
        (method, condition): (pair, method, mode) for (pair, method, mode), condition in STATEMENTS_BY_ROWS.items()
    }.values()
)


@pytest.mark.parametrize("way", STATEMENTS_BY_ROWS if ALL else ONE_OF_EACH_REFUSAL, ids=" ".join)
def test_what_an_empty_frame_does_not_show_is_refused_for_rows(way, local):
    pair, method, mode = way
    options = next(options for *how, options in statement_ways(pair) if how == [method, mode])
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

    assert caught.value.condition == STATEMENTS_BY_ROWS[way]


@pytest.mark.parametrize(("given", "stored", "merged", "inserted"), CASTS if ALL else CASTS[::5])
def test_spark_has_no_cast(given, stored, merged, inserted, spark_catalog):
    stage = Stage(spark_catalog, Pair(table(A, Column("v", stored)), frame(v=Column("v", given).data_type)))
    ways = Merge(matched={"v": "v"}), UPDATE, WriteOptions(method="sql_insert", by="name")

    assert [stage.run(way) for way in ways] == [merged, merged, inserted]
    stage.close()


@pytest.mark.parametrize(("model", "given", "options", "codes"), SEVERAL_REASONS if ALL else SEVERAL_REASONS[::4])
def test_delta_tells_the_first_reason(model, given, options, codes, spark_catalog):
    stage = Stage(spark_catalog, Pair(model, given))
    expected = codes[0] if codes else shown(stage.before.columns)

    assert [agree(expected, stage.run(one)) for one in options] == [True] * len(options)
    stage.close()


ROWS = lines_of(ROWS_RECORD)
SECONDS = 15
"""How long the record of rows is repeated; that of pairs of contracts is for as long."""


@pytest.mark.skipif(versions(ROWS_RECORD) != VERSIONS, reason="the record is that of other versions")
def test_rows_become_what_was_recorded(spark_catalog):
    names = [*ROWS]
    if not ALL:
        random.shuffle(names)
    begun, others = time.monotonic(), {}
    for name in names:
        if not ALL and time.monotonic() - begun > SECONDS:
            break
        stage = RowStage(spark_catalog, CELL_PAIRS[name])
        for end, listed in ROWS[name]["outcomes"].items():
            real = {way: stage.run(Cell(name, way).options) for way in listed.split(", ")}
            others.update({(name, way): (now, end) for way, now in real.items() if now != end})
        stage.close()

    assert others == {}


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
        ("extra column", WriteOptions()),
        ("extra column", WriteOptions(method="write_to", merge_schema=True)),
        ("extra column", WriteOptions(method="save_as_table", mode="overwrite", overwrite_schema=True)),
        ("extra column", WriteOptions(method="write_stream")),
        ("wider int", WriteOptions(auto_merge=True)),
        ("missing column", WriteOptions(method="insert_into")),
        *((pair, WriteOptions(method="write_to")) for pair in ("missing NOT NULL", "int into date", "given identity")),
        ("no column", WriteOptions()),
        (BY_ROWS, WriteOptions(method="write_to")),
        (BY_ROWS, WriteOptions()),
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


def test_the_probe_deletes_without_a_frame(local):
    delete = WriteOptions(method="delete")

    assert probe_write(table(A, B), None, delete, catalog=local).accepted
    assert probe_write(PAIRS["append only"].table, None, delete, catalog=local).rules == ("append-only",)
    with pytest.raises(DeclarationError, match="a delete takes no frame, and was given StructType"):
        probe_write(table(A, B), frame(a=BYTE), delete, catalog=local)


def made(local, model):
    scenario = Scenario(name="writes", before=model, after=model)
    create_initial_tables(scenario, local, SparkDataAccess())
    return model


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in CASES for kind in STREAM_KINDS] if ALL else SAMPLE)
def test_a_stream_does_what_was_recorded(name, kind, spark_catalog):
    verdict = play(spark_catalog, CASES[name], kind)

    assert (verdict.answer, verdict.condition, verdict.remedy) == answers()[name.lower(), kind]


@pytest.mark.parametrize("name", SEVERAL if ALL else ["add + tighten, plain"])
def test_the_worst_answer_counts_on_delta(name, spark_catalog):
    case, kind = SEVERAL[name]

    verdict = play(spark_catalog, case, kind)

    assert verdict.answer == check_stream(*states(case, kind), kind).answer
