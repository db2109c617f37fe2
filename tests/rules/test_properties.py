"""Texts that cannot be stored are refused wherever they stand."""

from __future__ import annotations

from datetime import date

import pytest
from pyspark.sql.types import ArrayType, LongType, MapType, StringType, StructField, StructType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, Parquet, Table
from pytest_delta_schema.rules import PlanValidator

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
