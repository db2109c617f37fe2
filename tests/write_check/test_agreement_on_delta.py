"""Predictions of writes agree with Delta: for every outcome of named pairs, and for random nested pairs.

Every method and mode of every pair is compared with what Delta was recorded to do, without a JVM. Here one way for each
recorded outcome is played again. ``make test-all`` plays all pairs in all ways, and more random ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Column, check_write
from pytest_delta_schema.testing.scenario import WIDENS, field
from pytest_delta_schema.write_check.verdict import FRAME_METHODS
from support.covering import ALL
from support.tables import table
from support.values.agreement import Stage
from support.values.writes import BY_ROWS, MODES, NO_STREAM, PAIRS, Pair, agree, one_way_per_outcome, outcome

pytestmark = pytest.mark.spark

APPENDS = ("plain", "mergeSchema", "autoMerge", "overwriteSchema")
CALLS = tuple(method for method in FRAME_METHODS if method != "write_stream")

# Left to `make test-all`, because they go the same ways as others: what is recorded of them is held in any case.
ALIKE = {
    "array into string",
    "array of more in a struct",
    "array of others in a struct",
    "array of others, never NULL",
    "commented",
    "duplicate beside a cast",
    "lengths below",
    "map in a struct",
    "map of others",
    "missing NOT NULL partition",
    "struct for a string in a struct",
    "two of other types",
    "void in a struct beside a cast",
    "byte and wider, widening",
    "char and varchar",
    "clustered",
    "date into timestamp",
    "decimal of more scale, widening",
    "decimal of other scale",
    "double into decimal",
    "double into float",
    "elements never NULL",
    "equal",
    "extra NOT NULL column",
    "extra field in map key",
    "extra field of checked struct",
    "extra odd name, mapped",
    "extra void",
    "float into double",
    "float to double, widening",
    "given open identity",
    "int into bigint",
    "int into boolean",
    "missing NOT NULL default",
    "retyped element",
    "int into decimal",
    "int into string",
    "int into varchar",
    "int to decimal, widening",
    "mapped",
    "mapped, missing",
    "missing checked",
    "missing clustered",
    "missing field in array",
    "missing identity",
    "ntz into timestamp",
    "partitioned",
    "retyped default",
    "retyped map key",
    "retyped map value",
    "smaller int",
    "smaller int, widening",
    "string into binary",
    "string into int, widening",
    "string into timestamp",
    "string into variant",
    "struct into string",
    "timestamp into date",
    "void into field",
    "void into void",
    "wider decimal",
    "wider decimal, widening",
    "wider element",
    "wider element, widening",
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
