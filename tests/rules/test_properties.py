"""Texts that cannot be stored are refused wherever they stand, and values of properties that Delta refuses."""

from __future__ import annotations

from datetime import date

import pytest
from pyspark.sql.types import ArrayType, LongType, MapType, StringType, StructField, StructType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, Parquet, Table
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.rules.properties import InvalidPropertyValue
from support.models import column, table

HALF = "a\ud800b"
SHOWN = r"'a\ud800b'"
FACT = "holds half a character (a lone surrogate), which UTF-8 cannot encode; write the whole character [DS122 UnencodableText]"


def named(name):
    return StructType([StructField("x", ArrayType(MapType(StringType(), StructType([StructField(name, LongType())]))))])


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        pytest.param([], {"comment": HALF}, f"the comment {SHOWN}", id="comment of the table"),
        pytest.param([], {"table_properties": {HALF: "x"}}, f"property {SHOWN}", id="key of a property"),
        pytest.param([], {"table_properties": {"k": HALF}}, f"property {SHOWN}", id="value of a property"),
        pytest.param([], {"tags": {"k": HALF}}, f"tag {SHOWN}", id="tag of the table"),
        pytest.param([], {"checks": [Check(HALF, "id > 0")]}, f"the name of check {SHOWN}", id="name of a check"),
        pytest.param(
            [],
            {"checks": [Check("c", f"concat(id, '{HALF}') > ''")]},
            rf'''the expression of a check "concat(id, {SHOWN}) > ''"''',
            id="check",
        ),
        pytest.param(
            [],
            {"foreign_keys": [ForeignKey(["id"], "dev.silver.parent", ["id"], name=HALF)]},
            f"the name of a foreign key {SHOWN}",
            id="name of a foreign key",
        ),
        pytest.param(
            [],
            {"foreign_keys": [ForeignKey(["id"], f"dev.silver.{HALF}", ["id"], name="fk")]},
            r"the parent of a foreign key 'dev.silver.a\ud800b'",
            id="parent of a foreign key",
        ),
        pytest.param(
            [],
            {"convert_from": Parquet(HALF)},
            f"the argument convert_from {SHOWN}",
            id="folder of a conversion",
        ),
        pytest.param([Column(HALF, LongType())], {}, f"the name of column {SHOWN}", id="column"),
        pytest.param([Column("c", LongType(), comment=HALF)], {}, f"the comment of a column {SHOWN}", id="its comment"),
        pytest.param([Column("c", LongType(), tags={HALF: ""})], {}, f"tag {SHOWN}", id="its tag"),
        pytest.param(
            [Column("c", StringType(), default=f"'{HALF}'")],
            {},
            rf'the default of a column "{SHOWN}"',
            id="its default",
        ),
        pytest.param(
            [Column("c", StringType(), generated_as=f"concat(id, '{HALF}')")],
            {},
            rf'the expression of a column "concat(id, {SHOWN})"',
            id="its generation",
        ),
        pytest.param(
            [Column("c", LongType(), deprecated=Deprecated(date(2026, 1, 31), use=HALF))],
            {},
            f"the replacement of a column {SHOWN}",
            id="its replacement",
        ),
        pytest.param(
            [],
            {"deprecated": Deprecated(date(2026, 1, 31), use=f"dev.gold.{HALF}")},
            r"the argument deprecated 'dev.gold.a\ud800b'",
            id="replacement of the table",
        ),
        pytest.param([Column("c", named(HALF))], {}, f"a field of column 'c' {SHOWN}", id="a field at any depth"),
        pytest.param(
            [Column("c", StructType([StructField("f", LongType(), metadata={"comment": HALF})]))],
            {},
            f"the comment of a field of column 'c' {SHOWN}",
            id="comment of a field",
        ),
    ],
)
def test_half_characters_are_refused(columns, options, expected):
    model = Table("dev", "silver", "orders", [Column("id", LongType()), *columns], **options)

    violations = [str(item) for item in PlanValidator().model_violations([model]) if item.code == "DS122"]

    assert violations == [f"dev.silver.orders: {expected} {FACT}"]


def test_half_a_character_in_the_name_of_a_table():
    model = Table("dev", "silver", HALF, [Column("id", LongType())])

    (violations,) = PlanValidator().model_violations([model])

    assert (violations.code, violations.message) == (
        "DS122",
        rf"the name 'dev.silver.a\ud800b' {FACT.partition(';')[0]}",
    )


def test_whole_characters_outside_of_the_basic_plane_are_fine():
    model = Table("dev", "silver", "orders", [Column("id", LongType(), comment="\N{GRINNING FACE} é")])

    assert PlanValidator().model_violations([model]) == ()


COLUMNS = (
    column("id"),
    Column("s", "struct<x: int, m: map<string, int>>"),
    Column("a", "array<int>"),
    Column("m", "map<string, int>"),
    Column("o", "boolean"),
    Column("b", "binary"),
    Column("v", "void"),
    Column("va", "timestamp"),
    Column("d.t", "string"),
    Column("p", "int"),
)
NO_STATISTICS = "and files have no statistics of"


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ("", []),
        ("id", []),
        ("ID,va", []),
        ("id,ID", []),
        ("s", []),
        ("s.x,s.m", []),
        ("a.element,m.key", []),
        ("`d.t`", []),
        ("missing", ["missing, which the table does not have"]),
        ("id, missing ", ["missing, which the table does not have"]),
        ("s.y", ["s.y, which the table does not have"]),
        ("d.t", ["d.t, which the table does not have"]),
        ("p", ["p, which is a partition column"]),
        ("id,id", ["id, which it names twice", "id, which it names twice"]),
        ("s,s.x", ["s.x, which it names twice"]),
        ("a", [f"a, {NO_STATISTICS} array<int>"]),
        ("m", [f"m, {NO_STATISTICS} map<string, int>"]),
        ("o,b", [f"o, {NO_STATISTICS} boolean", f"b, {NO_STATISTICS} binary"]),
        ("v", [f"v, {NO_STATISTICS} void"]),
    ],
)
def test_the_columns_with_statistics(value, faults):
    key = "delta.dataSkippingStatsColumns"
    model = table(*COLUMNS, table_properties={key: value}, partitioned_by=["p"])

    assert [str(violation) for violation in InvalidPropertyValue().check(model)] == [
        f"dev.silver.orders: property {key} names {fault}; leave it out [DS129 InvalidPropertyValue]"
        for fault in faults
    ]


@pytest.mark.parametrize(
    "options", [{"evolution": "additive"}, {"owns": {"columns": "report"}}, {"owns": {"columns": "ignore"}}]
)
def test_a_contract_of_some_columns_may_name_others(options):
    model = table(*COLUMNS, table_properties={"delta.dataSkippingStatsColumns": "missing"}, **options)

    assert list(InvalidPropertyValue().check(model)) == []


def test_a_key_that_the_project_names_may_have_any_value():
    properties = {"delta.appendOnly": "perhaps", "delta.checkpointPolicy": "v3"}
    policy = PropertyPolicy((("delta.APPENDONLY", "manage"), ("delta.*", "manage")))

    assert [
        found.path for found in InvalidPropertyValue(policy).check(table(column(), table_properties=properties))
    ] == ["properties.delta.checkpointPolicy"]
