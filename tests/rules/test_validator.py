"""Every rule: what it refuses, with which message, and what it accepts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, InvalidModelError, UnsafePlanError, rules
from pytest_delta_schema.plan import AlignTable, CreateTable, PrimaryKeyAdd, TablePlan, TablePlanner
from pytest_delta_schema.rules import PlanValidator, default_model_rules, default_plan_rules
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.state import CatalogState, KeyState, TableState, spark_types
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.testing.scenario import field
from support.case_tables import named_cases
from support.models import NAME, catalog, column, orders, orders_before, state, stored, table
from support.snapshots import ReviewedCases
from support.violations import texts_of, violations_of, violations_of_plan

VALIDATOR = PlanValidator()


def struct(*names: str, nullable: bool = True) -> spark.StructType:
    return spark.StructType([spark.StructField(name, spark.LongType(), nullable) for name in names])


def test_model_rules(reviewed):
    case = ReviewedCases(violations_of)
    case("no columns", table())
    case("duplicate columns", table(column("Id"), column("iD"), column("x"), column("ID")))
    case("duplicate fields", table(Column("s", spark.ArrayType(struct("a", "A")))))
    case("key", table(column(), column("b", is_nullable=False), primary_key=["id", "gone", "b", "B"]))
    case(
        "types",
        table(
            Column("t", spark.DayTimeIntervalType()),
            Column("m", spark.MapType(spark.StringType("UTF8_LCASE"), struct("a"))),
        ),
    )
    case(
        "decimals",
        table(
            Column("a", "decimal(39,2)"),
            Column("b", "array<decimal(0,0)>"),
            Column("c", "struct<x: map<string, decimal(5,9)>>"),
            Column("d", spark.DecimalType(10, -2)),
            Column("e", spark.DecimalType(-1, 0)),
            Column("f", "decimal(38,38)"),
            Column("g", "decimal(1,0)"),
        ),
    )
    case(
        "properties",
        table(
            column(),
            table_properties={
                "Comment": "x",
                "owner": "me",
                "pytest_delta_schema.primaryKey": "{}",
                "delta.columnMapping.maxColumnId": "3",
                "delta.constraints.positive": "id > 0",
                "delta.feature.clustering": None,
                "fine": None,
            },
        ),
    )
    case(
        "checks",
        table(
            column(),
            column("b"),
            checks=[
                Check("Same", "id > 0"),
                Check("same", "b > 0"),
                Check("__CHAR_VARCHAR_STRING_LENGTH_CHECK__", "id > 1"),
                Check("__char_varchar_string_length_check__", "id > 2"),
                Check("twin", "(`ID`) > 0"),
                Check("sum", "sum(id) > 0 and x > 0"),
                Check("number", "id + 1"),
            ],
        ),
    )
    case(
        "key over maps",
        table(
            Column("m", spark.MapType(spark.StringType(), spark.StringType()), is_nullable=False),
            Column("xs", spark.ArrayType(spark.VariantType()), is_nullable=False),
            Column("st", struct("a"), is_nullable=False),
            primary_key=["m", "xs", "st"],
        ),
    )
    case(
        "duplicate properties",
        table(column(), table_properties={"delta.appendOnly": True, "delta.APPENDONLY": True, "a": 1, "A": 2}),
    )
    keys = ("delta.appendOnyl", "delta.???", "delta.minReaderVersions")
    known = {"delta.feature.future": "supported", "delta.tuneFileSizesForRewrites": True, "DELTA.TARGETFILESIZE": None}
    case(
        "unknown properties", table(column(), table_properties=dict(zip(keys, (True, None, "3"), strict=True)) | known)
    )
    case(
        "values that Delta refuses",
        table(
            column(),
            table_properties={
                "delta.appendOnly": True,
                "delta.checkpointInterval": 0,
                "delta.isolationLevel": "WriteSerializable",
                "delta.logRetentionDuration": "1 month",
                "delta.checkpointPolicy": None,
                "team": "1 month",
            },
        ),
    )
    case(
        "files that outlive their log",
        table(column(), table_properties={"delta.deletedFileRetentionDuration": "interval 60 days"}),
    )
    case(
        "tags",
        table(
            column(tags={"a.b": "x", " lead": "x", "trail": "x ", "k" * 256: "", "v": "v" * 1001, "fine": ""}),
            column("plain", tags={"gone": None}),
            tags={"a=b:c": "x"} | {f"t{number}": "" for number in range(50)} | {"absent": None},
        ),
    )
    assert case.text == reviewed


def test_sound_models_pass():
    with named_cases(violations_of) as case:
        case("worked example", orders(), "")
        case("mapped name", table(column("a b"), table_properties={"delta.columnMapping.mode": "id"}), "")
        case("not null in a struct", table(Column("s", struct("a", nullable=False))), "")
        case("void", table(Column("v", spark.NullType())), "")
        case("feature", table(column(), table_properties={"delta.feature.clustering": "supported"}), "")


@pytest.mark.skipif(not hasattr(spark, "TimeType"), reason="Spark 4.1 brought the type TIME")
def test_two_faults_in_three_tables_are_one_error_with_every_table_named():
    models = [
        table(column("a"), column("A"), primary_key=["a"], name="dev.silver.c"),
        table(name="dev.silver.a"),
        table(Column("t", spark.TimeType()), column("x"), column("X"), name="dev.silver.b"),
    ]

    with pytest.raises(InvalidModelError) as caught:
        VALIDATOR.validate_models(models)

    lines = str(caught.value).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "dev.silver.a",
        "dev.silver.b",
        "dev.silver.b",
        "dev.silver.c",
        "dev.silver.c",
    ]
    assert len(caught.value.diagnostics) == len(lines)
    locations = {str(model.name): model.origin.location for model in models}
    assert all(violation.location == locations[violation.table] for violation in caught.value.diagnostics)
    assert lines[0].startswith("dev.silver.a: has no columns")


def test_a_table_declared_twice_is_named_with_both_places():
    one, other = table(column()), table(column())

    assert violations_of(one, other, table(column(), name="dev.silver.other")) == (
        f"is declared 2 times, at {one.origin.location} and {other.origin.location}; keep one declaration"
        " [DS101 DuplicateTable]"
    )


ABSENT = TableState(name=NAME, exists=False)
STAYS = column("id", is_nullable=False)


def test_plan_rules(reviewed):
    case = ReviewedCases(violations_of_plan)
    case(
        "add not null",
        table(column(), column("amount", is_nullable=False), column("rate", is_nullable=False)),
        state(stored()),
    )
    case(
        "create with nullable key",
        table(column(), column("b", is_nullable=False), primary_key=["id", "b"]),
        TableState(name=NAME, exists=False),
    )
    case("key over a loosened column", table(column(), primary_key=["id"]), state(stored(is_nullable=False)))
    case("key over a new column", table(STAYS, column("b"), primary_key=["b", "id"]), state(stored(is_nullable=False)))
    case("key over a nullable column", table(column(), primary_key=["id"]), state(stored()))
    mapped_legacy = state(stored(), stored("Legacy", "string"), table_properties={"delta.columnMapping.mode": "name"})
    case("drop without consent", table(column()), mapped_legacy)
    case(
        "drop without column mapping",
        table(column(), table_properties={"x": "1"}),
        state(stored(), stored("a"), stored("b")),
    )
    case("type", table(Column("id", spark.StringType())), state(stored()))
    case(
        "not null in collections",
        table(Column("tags", spark.ArrayType(spark.StringType(), containsNull=False))),
        ABSENT,
    )
    case(
        "special characters",
        table(column("a b"), Column("s", spark.MapType(spark.StringType(), struct("x=y", "ok")))),
        ABSENT,
    )
    case(
        "names that Spark takes for each other",
        table(column("i"), column("\u0131"), Column("s", struct("a", "\u00b5", "μ"))),
        state(stored("i"), stored("s", canonical_type(struct("a")))),
    )
    mapped = {"delta.columnMapping.mode": "name"}
    case(
        "new names that Spark takes for stored ones",
        table(
            Column("\u0131", spark.LongType(), renamed_from="i"),
            Column("s", spark.StructType([field("\u0131", renamed_from="b"), field("i")])),
            Column("free", spark.LongType(), renamed_from="l"),
            Column("L", spark.LongType()),
            table_properties=mapped,
        ),
        state(stored("i"), stored("l"), stored("s", canonical_type(struct("b", "i"))), table_properties=mapped),
    )
    case(
        "new columns that Spark takes for each other",
        table(column("i"), column("\u0131"), Column("s", struct("s", "\u017f"))),
        ABSENT,
    )
    case(
        "a stored column that Spark takes for another one",
        table(column("i", comment="x"), column("\u0131")),
        state(stored("i"), stored("\u0131")),
    )
    assert case.text == reviewed


def test_sound_plans_pass():
    with named_cases(violations_of_plan) as case:
        case("worked example", orders(), orders_before(), "")
        case("creation", orders(), ABSENT, "")
        case("key over NOT NULL", table(STAYS, primary_key=["id"]), state(stored("ID", is_nullable=False)), "")
        case("key goes", table(column()), state(stored(), primary_key=KeyState("pk", ("id",))), "")
        case("creation without a key", table(column()), ABSENT, "")


def test_a_drop_with_consent_and_column_mapping_passes():
    mapped, consent = {"delta.columnMapping.mode": "name"}, parse_consent("drop-column dev.silver.orders.LEGACY")

    for planned, there in ((mapped, {}), ({}, mapped)):
        before = state(stored(), stored("Legacy"), table_properties=there)
        assert violations_of_plan(table(column(), table_properties=planned), before, consents=[consent]) == ""


def test_a_key_over_missing_columns_is_refused_even_if_the_model_was_never_checked():
    action = CreateTable(
        table=NAME,
        columns=(stored(),),
        table_comment="",
        table_properties={},
        creates_schema=False,
        keys=(PrimaryKeyAdd(key=KeyState("pk", ("gone",))),),
    )

    (violation,) = VALIDATOR.plan_violations(TablePlan(create_tables=(action,)))

    assert (violation.rule, violation.path) == ("NullablePrimaryKeyColumnCreated", "columns.gone")


def test_all_violations_of_all_tables_are_one_error():
    models = [table(column(), column("n", is_nullable=False), name=f"dev.silver.{name}") for name in "ba"]
    there = CatalogState(tables={model.name: state(stored(), name=model.name) for model in models})

    with pytest.raises(UnsafePlanError) as caught:
        VALIDATOR.validate_plan(TablePlanner().plan(models, there))

    assert [violation.table for violation in caught.value.diagnostics] == ["dev.silver.a", "dev.silver.b"]


class EveryTableHasAComment:
    def check(self, table):
        if not table.comment:
            yield from VALIDATOR.model_violations([table])
            raise LookupError("no comment on\nthis table")


class NothingIsAligned:
    def check(self, action):
        return [object()] if isinstance(action, AlignTable) and 1 / 0 else []


class YieldsText:
    def check(self, table):
        return [f"{table.qualified_name} is bad"]


def test_a_fault_of_a_rule_is_reported_as_that_rules_fault():
    validator = PlanValidator(model_rules=[EveryTableHasAComment(), YieldsText()], plan_rules=[NothingIsAligned()])

    of_models = validator.model_violations([table(column())])
    of_plan = validator.plan_violations(TablePlanner().plan([orders()], catalog(orders_before())))

    assert texts_of(of_models) == (
        "rule EveryTableHasAComment itself failed with LookupError: no comment on; fix the rule"
        " [DS100 EveryTableHasAComment]\n"
        "rule YieldsText itself failed with TypeError: its check() yielded 'dev.silver.orders is bad', which is not a"
        " Diagnostic; fix the rule [DS100 YieldsText]"
    )
    assert texts_of(of_plan) == (
        "rule NothingIsAligned itself failed with ZeroDivisionError: division by zero; fix the rule"
        " [DS100 NothingIsAligned]"
    )


def test_a_type_that_changes_between_two_checks_is_read_anew():
    kind = struct("a")
    model = table(Column("s", kind))
    assert violations_of(model) == ""
    kind.add("A", spark.LongType())
    assert violations_of(model).endswith("[DS103 DuplicateColumn]")


def test_all_rules_of_a_check_read_each_type_once(monkeypatch):
    types_read = []

    def counted(data_type):
        types_read.append(data_type)
        return canonical_type(data_type)

    monkeypatch.setattr(spark_types, "canonical_type", counted)
    first, second = struct("a"), struct("b")
    assert violations_of(table(Column("x", first), Column("y", second))) == ""
    assert [sum(read is kind for read in types_read) for kind in (first, second)] == [1, 1]


FOLDER = Path(rules.__file__).parent


def test_every_rule_is_a_standard_rule():
    standard = {type(rule).__name__ for rule in (*default_model_rules(), *default_plan_rules())}
    written = {
        node.name: path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob("*.py")
        if path.name != "reported_rules.py"
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and "code = " in ast.unparse(node)
    }

    assert standard
    forgotten = {name: file for name, file in written.items() if name not in standard}
    assert forgotten == {}, "rules/validator.py lacks rules"
    assert standard <= written.keys()
