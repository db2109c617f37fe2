"""Rules about defaults, generated columns, identities and changes of types, with their messages."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, Identity
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.rules import Consent
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import default_faults
from pytest_delta_schema.state.spark_types import canonical_type
from support.case_tables import blocks_in, cases
from support.models import TEXT, column, table
from support.snapshots import ReviewedCases
from support.violations import violations_of, violations_of_plan

INT = spark.IntegerType()


def invalid_generations(columns):
    """Return what DS118 says of columns, without its code."""
    return violations_of(table(*columns)).replace(" [DS118 InvalidColumnGeneration]", "")


def test_declared_values(reviewed):
    case = ReviewedCases(invalid_generations)
    case("two of three", [column("a", default=1, identity=True)])
    case("a default of zero counts", [column("a", default=0, generated_as="b"), column("b")])
    case("a text without quotes", [column("a", TEXT, default="open")])
    case(
        "expressions that are none",
        [column("a", default="(select 1)"), column("b", default="sum(1)"), column("c", default="1 +")],
    )
    case("identities that cannot count", [column("a", INT, identity=Identity(step=0))])
    case(
        "generated from what may not be looked at",
        [column("a"), column("b", generated_as="a + rand()"), column("c", generated_as="b + gone")],
    )
    case("generated from itself", [column("a", generated_as="A + 1")])
    case(
        "fine",
        [
            column("a", spark.TimestampType(), default="current_timestamp()"),
            column("b", default=True, data_type=spark.BooleanType()),
            column("c", identity=False),
            column("d", generated_as="transform(array(c), x -> x + c)[0]"),
        ],
    )
    assert case.text == reviewed


def test_a_generation_that_cannot_be_added_or_changed_is_named(reviewed):
    plain, twice = column("b"), column("b", generated_as="a * 2")
    counted = column("b", identity=Identity(start=5))

    def judged(before, after):
        """Return what DS214 says about a change of column b."""
        there = desired_state(table(column("a"), *before))
        return violations_of_plan(table(column("a"), *after), there, code="DS214").partition(";")[0]

    case = ReviewedCases(judged)
    case("added, generated", [], [twice])
    case("added, identity", [], [counted])
    case("added, default", [], [column("b", default=3)])
    case("added, plain", [], [plain])
    case("no more generated", [twice], [plain])
    case("generated now", [plain], [twice])
    case("generated otherwise", [counted], [twice])
    assert case.text == reviewed


def test_what_depends_on_a_column_refuses_its_change(reviewed):
    options = {"table_properties": MAPPED | WIDENS}

    def judged(before, after):
        return violations_of_plan(table(*after, **options), desired_state(table(*before, **options)), code="DS215")

    a, b, g = column("a", INT), column("b"), column("g", generated_as="a + s.x")
    x, xy, y = (Column("s", f"struct<{fields}: bigint>") for fields in ("x", "x: bigint, y", "y"))
    counted, strict = (column("i", identity=True, is_nullable=nullable) for nullable in (True, False))
    case = ReviewedCases(judged)
    case("a source renamed", [a, x, g], [column("c", INT, renamed_from="a"), x, g])
    case("sources retyped and dropped", [a, x, g], [column("a"), g])
    case("a field of a source dropped", [a, xy, g], [a, y, g])
    renamed, both = Column("s", "struct<x: int>", renamed_from="t"), column("g", generated_as="t.x + t.y")
    case("fields of a renamed source", [Column("t", xy.data_type), both], [renamed, both])
    case("others changed", [a, b, xy, g], [a, x, g])
    case("an identity made nullable", [a, strict], [a, counted])
    case("an identity made NOT NULL", [a, counted], [a, strict])
    case("another column made nullable", [column("a", is_nullable=False), counted], [column("a"), counted])
    assert case.text == reviewed


WIDENS = {"delta.enableTypeWidening": "true"}
MAPPED = {"delta.columnMapping.mode": "name"}
LONG = spark.LongType()


def field(name, kind=LONG, renamed_from=None):
    return spark.StructField(name, kind, metadata={"renamed_from": renamed_from} if renamed_from else None)


def struct(*fields):
    return spark.StructType(list(fields))


def of(kind, **properties):
    return table(Column("a", kind), table_properties=properties.get("properties", {}))


def test_plans_that_change_types(reviewed):
    void = table(Column("a", "void"), Column("s", "struct<x: void, y: bigint>"))
    case = ReviewedCases(lambda before, after: violations_of_plan(after, desired_state(before)))
    case("without the feature", of("int"), of("bigint"))
    case("with the feature", of("int", properties=WIDENS), of("bigint"))
    case("with it on the way", of("int"), of("bigint", properties=WIDENS))
    case("a field", of("array<struct<x: int>>"), of("array<struct<x: bigint>>"))
    case("longer", of("varchar(3)"), of("varchar(5)"))
    case("a longer field", of("struct<x: varchar(3)>"), of("struct<x: varchar(5)>"))
    typed = table(Column("a", "varchar(3)"), Column("s", "struct<x: string, y: bigint>"))
    case("void gets its type", void, typed)
    case(
        "void does not become an array, and no varchar in a struct",
        void,
        table(Column("a", "array<int>"), Column("s", "struct<x: varchar(3), y: bigint>")),
    )
    assert case.text == reviewed


def test_plans_that_rename(reviewed):
    x, renamed = column("x"), column("new", renamed_from="old")
    field_of_a = Column("a", struct(field("new", renamed_from="old")))
    case = ReviewedCases(lambda before, after: violations_of_plan(after, desired_state(before)))
    case("rename without mapping", table(column("old")), table(renamed))
    case("rename", table(column("old"), table_properties=MAPPED), table(renamed))
    case("neither", table(x, table_properties=MAPPED), table(x, renamed))
    case("both", table(Column("a", struct(field("old"), field("new"))), table_properties=MAPPED), table(field_of_a))
    case("all new", table(x), table(x, field_of_a))
    assert case.text == reviewed


def test_consent_names_a_field_by_its_path():
    before = table(Column("a", spark.ArrayType(struct(field("x"), field("Y")))), table_properties=MAPPED)
    after = table(Column("a", spark.ArrayType(struct(field("x")))))
    consent = Consent("drop-column", "dev.silver.orders.a.element.y")

    assert violations_of_plan(after, desired_state(before), consents=[consent]) == ""


def test_hints(reviewed):
    case = ReviewedCases(violations_of)
    case("fine", table(column("new", renamed_from="old")))
    case("a column of another place", table(Column("s", struct(field("a", LONG, "b"))), column("b")))
    case("case only", table(column("Id", renamed_from="id")))
    case("declared", table(column("new", renamed_from="OLD"), column("old")))
    case("twice", table(Column("s", struct(field("a", LONG, "old"), field("b", LONG, "old")))))
    assert case.text == reviewed


DEFAULT_TYPES = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(5,2)", "string", "varchar(3)"),
    *("char(3)", "binary", "date", "timestamp", "timestamp_ntz", "array<int>", "map<string,int>", "struct<a:int>"),
)
JUDGED, BY_SPARK = (
    {default: answers for answers, default in (line.split(" ", 1) for line in block.splitlines())}
    for block in blocks_in(Path(__file__).with_name("defaults.txt")).values()
)
"""What Delta 4.4.0 answers to a default of each type: ``.`` accepted, ``X`` refused, ``w`` refused by each write.

There are those that the package judges, and those whose type or value only Spark knows.
"""


def refused_by(text):
    """Return for each type whether a default is refused."""
    return "".join("X" if [*default_faults(text, canonical_type(parse_type(kind)))] else "." for kind in DEFAULT_TYPES)


def test_literals_that_are_no_values_of_their_type_are_refused():
    assert {text: refused_by(text) for text in JUDGED} == JUDGED
    answers = {text: zip(refused_by(text), answer, strict=True) for text, answer in BY_SPARK.items()}
    assert [text for text, pairs in answers.items() if ("X", ".") in pairs] == []


CREATE = (
    "CREATE TABLE dev.recorded_defaults.{} (id INT, v {}) USING DELTA"
    " TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
)


@pytest.mark.spark
def test_delta_answers_to_defaults_as_recorded(local):
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - a client of Spark has none

    recorded = JUDGED | BY_SPARK
    cells = [(text, index) for text in recorded for index in range(len(DEFAULT_TYPES))]
    # Spark 4.2.0 fails when it writes the plan of this CREATE as text (LiteralValue.toString); Delta would take the default.
    cells.remove(("NULL", DEFAULT_TYPES.index("binary")))
    local.create_schema("dev", "recorded_defaults")
    with pytest.raises(Py4JJavaError, match="INTERNAL_ERROR"):
        local.spark.sql(CREATE.format("fails", "BINARY DEFAULT NULL"))
    local.spark.sql(CREATE.format("takes", "BINARY"))
    local.spark.sql("ALTER TABLE dev.recorded_defaults.takes ALTER COLUMN v SET DEFAULT NULL")
    for number, (text, index) in enumerate(random.sample(cells, 30)):
        kind, answer = DEFAULT_TYPES[index], "X"
        with suppress(Exception):
            local.spark.sql(CREATE.format(f"t{number}", f"{kind} DEFAULT {text}"))
            answer = "."
        assert answer == recorded[text][index].replace("w", "."), (kind, text)


def test_the_fault_of_a_default_is_named():
    with cases(lambda kind, text: next(default_faults(text, canonical_type(parse_type(kind))), "")) as case:
        case("tinyint", "300", "is out of the range of tinyint, -128 to 127")
        case("tinyint", "-(129)", "is out of the range of tinyint, -128 to 127")
        case("tinyint", "-(-(-128))", "")
        case("bigint", "'-9223372036854775808'", "")
        case("int", "'x'", "is not a value of int")
        case("int", "1e999999999", "is out of the range of double")
        case("int", "1e99999999999999999999", "")
        case("int", "9" * 500, "")
        case("int", "'" + "9" * 500 + "'", "is not a value of int")
        case("double", "'1.5d'", "")
        case("varchar(3)", "1E10", "")
        case("double", "'1.5x'", "is not a value of double")
        case("decimal(5,2)", "999.994", "")
        case("decimal(5,2)", "999.995", "does not fit into decimal(5,2)")
        case("decimal(5,2)", "1e-300", "")
        case("decimal(5,2)", "1e300", "does not fit into decimal(5,2)")
        case("varchar(3)", "'abc  '", "")
        case("varchar(3)", "12345", "has more characters than varchar(3)")
        case("date", "'0000-02-29'", "")
        case("date", "'2023-02-29'", "is not a value of date")
        case("date", "'10:00'", "is not a value of date")
        case("timestamp", "'10:00'", "")
        case("timestamp", "'2020-1-1 10:00:00 CET'", "")
        case("struct<a: int>", "true", "is not a value of struct<a: int>")
        case("variant", "true", "")
        case("int", "rand() + explode(array(1))", "calls rand, which returns another value for every row")
