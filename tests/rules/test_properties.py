"""Texts that cannot be stored are refused wherever they stand, and values of properties that Delta refuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from pyspark.sql.types import ArrayType, LongType, MapType, StringType, StructField, StructType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, Parquet, Table
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.rules.properties import InvalidPropertyValue, PropertyPolicyViolation
from support.case_tables import cases
from support.models import column, table
from support.snapshots import ReviewedCases
from support.violations import texts_of, violations_of

HALF = "a\ud800b"
SHOWN = r"'a\ud800b'"
FACT = "holds half a character (a lone surrogate), which UTF-8 cannot encode; write the whole character [DS122 UnencodableText]"


def named(name):
    return StructType([StructField("x", ArrayType(MapType(StringType(), StructType([StructField(name, LongType())]))))])


def half_characters(columns, options):
    """Return what DS122 says of a model, without what it says of each."""
    model = Table("dev", "silver", "orders", [Column("id", LongType()), *columns], **options)
    return violations_of(model, code="DS122").replace(f" {FACT}", "")


def test_half_characters_are_refused():
    old, field = Deprecated(date(2026, 1, 31), use=HALF), StructField("f", LongType(), metadata={"comment": HALF})
    keys = {
        name: [ForeignKey(["id"], f"dev.silver.{parent}", ["id"], name=name)]
        for name, parent in ((HALF, "parent"), ("fk", HALF))
    }
    columns = {
        f"the name of column {SHOWN}": Column(HALF, LongType()),
        f"the comment of a column {SHOWN}": Column("c", LongType(), comment=HALF),
        f"tag {SHOWN}": Column("c", LongType(), tags={HALF: ""}),
        rf'the default of a column "{SHOWN}"': Column("c", StringType(), default=f"'{HALF}'"),
        rf'the expression of a column "concat({SHOWN})"': Column("c", StringType(), generated_as=f"concat('{HALF}')"),
        f"the replacement of a column {SHOWN}": Column("c", LongType(), deprecated=old),
        f"a field of column 'c' {SHOWN}": Column("c", named(HALF)),
        f"the comment of a field of column 'c' {SHOWN}": Column("c", StructType([field])),
    }
    options = {
        f"the comment {SHOWN}": {"comment": HALF},
        f"tag {SHOWN}": {"tags": {"k": HALF}},
        f"the name of check {SHOWN}": {"checks": [Check(HALF, "id > 0")]},
        rf'the expression of a check "id > {SHOWN}"': {"checks": [Check("c", f"id > '{HALF}'")]},
        f"the name of a foreign key {SHOWN}": {"foreign_keys": keys[HALF]},
        r"the parent of a foreign key 'dev.silver.a\ud800b'": {"foreign_keys": keys["fk"]},
        f"the argument convert_from {SHOWN}": {"convert_from": Parquet(HALF)},
        r"the argument deprecated 'dev.gold.a\ud800b'": {"deprecated": replace(old, use=f"dev.gold.{HALF}")},
    }

    assert {text: half_characters([column], {}) for text, column in columns.items()} == {text: text for text in columns}
    assert {text: half_characters([], option) for text, option in options.items()} == {text: text for text in options}
    for properties in ({HALF: "x"}, {"k": HALF}):
        assert half_characters([], {"table_properties": properties}) == f"property {SHOWN}"


def test_half_a_character_in_the_name_of_a_table():
    (violation,) = PlanValidator().model_violations([Table("dev", "silver", HALF, [Column("id", LongType())])])

    assert violation.code == "DS122"
    assert violation.message == rf"the name 'dev.silver.a\ud800b' {FACT.partition(';')[0]}"


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


def faults_of_statistics(value, **options):
    key = "delta.dataSkippingStatsColumns"
    model = table(*COLUMNS, table_properties={key: value}, **{"partitioned_by": ["p"], **options})
    text = texts_of(InvalidPropertyValue().check(model))
    return text.replace(f"property {key} names ", "").replace("; leave it out [DS129 InvalidPropertyValue]", "")


def test_the_columns_with_statistics():
    with cases(faults_of_statistics) as case:
        for value in ("", "id", "ID,va", "id,ID", "s", "s.x,s.m", "a.element,m.key", "`d.t`"):
            case(value, "")
        for value, column in (("missing", "missing"), ("id, missing ", "missing"), ("s.y", "s.y"), ("d.t", "d.t")):
            case(value, f"{column}, which the table does not have")
        case("p", "p, which is a partition column")
        case("id,id", "id, which it names twice\nid, which it names twice")
        case("s,s.x", "s.x, which it names twice")
        case("a", f"a, {NO_STATISTICS} array<int>")
        case("m", f"m, {NO_STATISTICS} map<string, int>")
        case("o,b", f"o, {NO_STATISTICS} boolean\nb, {NO_STATISTICS} binary")
        case("v", f"v, {NO_STATISTICS} void")


def test_a_contract_of_some_columns_may_name_others():
    for options in ({"evolution": "additive"}, {"owns": {"columns": "report"}}, {"owns": {"columns": "ignore"}}):
        assert faults_of_statistics("missing", partitioned_by=[], **options) == ""


def test_the_project_requires_and_forbids_properties(reviewed):
    rule = PropertyPolicyViolation(PropertyPolicy((("owner", "require"), ("cost.*", "require"), ("tmp.*", "forbid"))))
    case = ReviewedCases(lambda properties: texts_of(rule.check(table(column(), table_properties=properties))))
    case("fine", {"OWNER": "core", "cost.center": "1", "tmp.b": None})
    case("missing", {"owner": None, "costs": "1"})
    case("forbidden", {"owner": "core", "cost.a": "1", "TMP.a": "1"})
    assert case.text == reviewed


def test_a_key_that_the_project_names_may_have_any_value():
    properties = {"delta.appendOnly": "perhaps", "delta.checkpointPolicy": "v3"}
    policy = PropertyPolicy((("delta.APPENDONLY", "manage"), ("delta.*", "manage")))

    assert [
        found.path for found in InvalidPropertyValue(policy).check(table(column(), table_properties=properties))
    ] == ["properties.delta.checkpointPolicy"]
