"""Rules about the layout and about conversion from parquet, with their messages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, Parquet, UnsafePlanError
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.report.text import aligned
from pytest_delta_schema.rules import Consent, PlanValidator
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import SourceState, TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import LONG, field, struct
from support.case_tables import cases, refusal
from support.models import NAME, TEXT, catalog, column, state, stored, table
from support.snapshots import ReviewedCases
from support.violations import violations_of, violations_of_plan

MANY = [column(f"c{number}") for number in range(40)]


def invalid_layouts(columns, options):
    return violations_of(table(*columns, **options), code="DS119").replace(" [DS119 InvalidLayout]", "")


def test_declared_layouts(reviewed):
    case = ReviewedCases(invalid_layouts)
    case("both", [column("a"), column("b"), column("c")], {"partitioned_by": ["a"], "clustered_by": ["b"]})
    case(
        "partitions",
        [
            column("a"),
            Column("s", struct(field("x"))),
            column("v", spark.VariantType()),
            column("i", identity=True),
            column("z"),
        ],
        {"partitioned_by": ["gone", "s", "v", "i", "a", "A"]},
    )
    case("all columns", [column("a"), column("B")], {"partitioned_by": ["b", "a"]})
    case(
        "clustering",
        [
            column("a"),
            Column("s", struct(field("x"))),
            Column("l", spark.ArrayType(struct(field("p")))),
            column("b", spark.BooleanType()),
            column("c", TEXT),
        ],
        {"clustered_by": ["gone", "s", "l.element.p", "b", "c", "C"]},
    )
    case("a null character", [column(), column("a\0b")], {"partitioned_by": ["a\0b"]})
    case("beyond the statistics", MANY, {"clustered_by": ["c31", "c32"]})
    case(
        "with its own statistics",
        MANY,
        {"clustered_by": ["c39"], "table_properties": {"delta.dataSkippingStatsColumns": "c39"}},
    )
    case("as many as Delta allows", [column(name) for name in "abcd"], {"clustered_by": [*"abcd"]})
    case(
        "fine",
        [column("a"), Column("s", struct(field("x"), field("y.z"))), column("b.c")],
        {"clustered_by": ["s.X", "b.c", "`S`.`Y.z`"]},
    )
    assert case.text == reviewed


REWRITE = Consent("rewrite", str(NAME))


def test_a_rewrite_needs_consent_by_name():
    def rewritten(before, after, *consents):
        return violations_of_plan(after, desired_state(before), consents=consents).removesuffix(
            'consent with --delta-allow "rewrite dev.silver.orders" [DS216 RewriteWithoutConsent]'
        )

    clustered, partitioned = (
        table(column(), column("d"), **{key: ["d"]}) for key in ("clustered_by", "partitioned_by")
    )
    mapped = {
        mode: table(column(), table_properties={"delta.columnMapping.mode": mode}) for mode in ("id", "none", None)
    }
    rest = "in the model, so all of its data has to be rewritten; declare"
    with cases(rewritten) as case:
        laid_out = f"is clustered by (d) and partitioned by (d) {rest} the layout that it has, or "
        case(clustered, partitioned, laid_out)
        case(clustered, partitioned, Consent("rewrite", "dev.silver.orders2"), laid_out)
        case(clustered, partitioned, REWRITE, "")
        for mode, shown in (("none", "none"), (None, "absent")):
            fact = f"has column mapping by id, and delta.columnMapping.mode is {shown} {rest}"
            case(mapped["id"], mapped[mode], f"{fact} delta.columnMapping.mode='id', or ")
            case(mapped["id"], mapped[mode], REWRITE, "")
    assert violations_of_plan(partitioned, TableState(name=NAME, exists=False)) == ""


def test_one_consent_permits_both_rewrites_of_a_table():
    before = table(column(), column("d"), table_properties={"delta.columnMapping.mode": "name"})
    after = table(column(), column("d"), partitioned_by=["d"], table_properties={"delta.columnMapping.mode": "none"})
    plan = TablePlanner().plan([after], catalog(desired_state(before)))

    paths = [str(violation.path) for violation in PlanValidator().plan_violations(plan)]
    assert paths == ["layout", "properties.delta.columnMapping.mode"]
    assert violations_of_plan(after, desired_state(before), consents=[REWRITE]) == ""


ID = Column("id", LONG)
PATH = "/lake/it's `here`"


def plan(model, source, *columns, **options):
    return TablePlanner().plan([model], catalog(state(*columns, source=source, **options)))


def refusals(model, source, *columns, **options):
    return violations_of_plan(model, state(*columns, source=source, **options), code="DS217")


def by_day(kind, **options):
    return table(ID, Column("day", kind), partitioned_by=["day"], convert_from=Parquet(PATH), **options)


def test_a_folder_is_converted_and_then_made_known_to_the_catalog():
    model = by_day(spark.DateType(), comment="Orders")
    source = SourceState("parquet", PATH, folders=(("DAY=2024-01-01",),), files=3)

    planned = plan(model, source, stored(), stored("DAY", "string"), partitioning=("DAY",), schema_exists=False)

    (action,) = planned.actions
    assert script(statements(action)) == (
        "CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;\n\n"
        "CONVERT TO DELTA parquet.`/lake/it's ``here``` PARTITIONED BY (`day` DATE);\n\n"
        "CREATE TABLE `dev`.`silver`.`orders` USING DELTA LOCATION '/lake/it\\'s `here`';\n\n"
        "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders';"
    )
    assert [str(line) for line in change_lines(action)] == [
        f"~ format: parquet in {PATH} -> delta",
        "~ comment: '' -> 'Orders'",
    ]
    assert "[feature: clients that read parquet have to read the table]" in aligned(change_lines(action))
    assert refusals(model, source, stored(), stored("DAY", "string"), partitioning=("DAY",)) == ""


def test_a_folder_that_is_delta_is_only_made_known():
    (action,) = plan(table(ID, convert_from=Parquet(PATH)), SourceState("delta", PATH), stored()).actions

    assert script(statements(action)) == (
        "CREATE TABLE `dev`.`silver`.`orders` USING DELTA LOCATION '/lake/it\\'s `here`';"
    )
    assert change_lines(action)[0].loss == ""
    assert refusals(table(ID, convert_from=Parquet(PATH)), SourceState("delta", PATH), stored()) == ""


def refused_folder(kind, value):
    """Return what is said of a folder that is called by a value, up to its remedy."""
    source = SourceState("parquet", PATH, folders=((f"day={value}",),))
    text = refusals(by_day(kind), source, stored(), stored("day", "string"), partitioning=("day",))
    return text.partition(";")[0]


def test_a_folder_has_to_be_named_by_a_value_of_the_declared_type():
    fits = [
        *((spark.StringType(), "anything"), (spark.ByteType(), "127"), (spark.ShortType(), "-32768")),
        *((spark.LongType(), "9223372036854775807"), (spark.DoubleType(), "1.5e3"), (spark.BooleanType(), "TRUE")),
        *((spark.DateType(), "2024-02-29"), (spark.TimestampType(), "2024-01-01 10%3A00%3A00")),
        (spark.DateType(), "__HIVE_DEFAULT_PARTITION__"),
    ]
    misfits = [
        *((spark.ByteType(), "128"), (spark.IntegerType(), "2147483648"), (spark.LongType(), "1.5")),
        *((spark.DecimalType(5, 2), "x"), (spark.BooleanType(), "yes"), (spark.DateType(), "2023-02-29")),
        (spark.TimestampType(), "noon"),
    ]

    assert [(kind, value) for kind, value in fits if refused_folder(kind, value)] == []
    assert [refused_folder(kind, value).partition(" cannot be ")[2] for kind, value in misfits] == [
        f"read as {kind.simpleString()}: first in the folder day={value}" for kind, value in misfits
    ]


def test_folders_of_timestamps_without_a_zone_are_converted_only_where_a_catalog_knows_their_type():
    def refused(kind, **options):
        source = SourceState("parquet", PATH, folders=(("day=2024-01-01 10%3A00%3A00",),), **options)
        return refusals(by_day(spark.TimestampNTZType()), source, stored(), stored("day", kind), partitioning=("day",))

    assert refused("string") == (
        "is partitioned by day as timestamp_ntz in the model, which CONVERT TO DELTA refuses (Delta 4.4.0); declare day as"
        " timestamp or string, or rewrite the files [DS217 ConversionSourceMismatch]"
    )
    assert refused("timestamp_ntz", is_registered=True) == ""


LOG_IS_GONE = (
    f"{PATH} holds the files of a Delta table whose log is gone (see a/deletion_vector_1.bin); restore _delta_log from a"
    " backup, because without it rows that were deleted or replaced come back"
)


def test_what_the_files_forbid():
    def forbidden(source, columns=(), **options):
        model = table(ID, **{"convert_from": "parquet", **options})
        return refusals(model, source, *columns).replace(" [DS217 ConversionSourceMismatch]", "")

    nothing = f"cannot be converted, because there are no files in {PATH};"
    assert forbidden(SourceState("nothing", PATH, is_registered=True)) == (
        f"{nothing} drop the empty table, and it is created"
    )
    assert forbidden(SourceState("nothing", PATH), convert_from=Parquet(PATH)) == (
        f"{nothing} correct the path, or leave it out"
    )
    assert forbidden(SourceState("orc", PATH, is_registered=True, folders=((),))) == (
        f"cannot be converted, because {PATH} holds orc, and only parquet becomes Delta; rewrite it:"
        " spark.read.format('orc').load(...).write.saveAsTable(...)"
    )
    registered = SourceState("parquet", PATH, is_registered=True, folders=((),))
    assert forbidden(registered, [stored()], convert_from=Parquet("/elsewhere")) == (
        f"is a parquet table at {PATH}, but the model declares the path /elsewhere; leave the path out to convert the"
        " table, or give the model another name"
    )
    assert forbidden(replace(registered, conflict="b.parquet does not fit"), [stored()]) == (
        "cannot be converted, because the schemas of its files do not merge: b.parquet does not fit; rewrite that file"
    )
    for kind in ("parquet", "nothing"):
        source = SourceState(kind, PATH, folders=((),), sign="a/deletion_vector_1.bin")
        assert forbidden(source, [stored()]) == f"cannot be converted, because {LOG_IS_GONE}"
    by_folder = replace(registered, folders=(("nowhere=1",),))
    assert forbidden(by_folder, [stored()], partitioned_by=["nowhere"]) == ""
    remedy = "declare the columns of the folders in partitioned_by, or rewrite the files"
    other = "is partitioned by nothing in the model, and by 2 columns (a, b) in its files: first in the folder a=1/b=2"
    assert forbidden(replace(registered, folders=(("a=1", "b=2"),)), [stored()]) == f"{other}; {remedy}"
    none = "is partitioned by 1 column (nowhere) in the model, and by nothing in its files: first in the folder itself"
    assert forbidden(registered, [stored()], partitioned_by=["nowhere"]) == f"{none}; {remedy}"


def test_files_are_no_table_to_a_model_that_does_not_consent_and_without_their_log_they_cannot_be_one():
    def refused(**options):
        files = state(stored(), source=SourceState("parquet", PATH, folders=((),), **options))
        return refusal(Orchestrator.over(MemoryCatalog([files])).sync_tables, [table(ID)], error=CatalogReadError)

    consent = "is a parquet table, not a Delta table; consent to its conversion with"
    assert consent in refused(is_registered=True)
    assert refused(sign="a/deletion_vector_1.bin") == f"dev.silver.orders: {LOG_IS_GONE} [DS503 DamagedTable]"


def test_a_folder_becomes_a_table_of_the_memory_catalog_too():
    memory = MemoryCatalog(
        [state(stored(), source=SourceState("parquet", PATH, folders=((),), files=1))], rows={NAME: [{"id": 1}]}
    )
    model = table(ID, Column("n", spark.IntegerType()), convert_from=Parquet(PATH))

    Orchestrator.over(memory).sync_tables([model])

    assert memory.version(NAME) == 1
    assert TablePlanner().plan([model], memory.snapshot([model])).is_empty


def test_rows_of_files_refuse_a_plan_with_a_query_over_the_files():
    files = state(stored(), source=SourceState("parquet", "/lake", folders=((),), files=1))
    memory = MemoryCatalog([files], rows={NAME: [{"id": None}]})
    model = table(Column("id", LONG, is_nullable=False), convert_from=Parquet("/lake"))

    with pytest.raises(UnsafePlanError, match=r"listed by SELECT \* FROM parquet\.`/lake` WHERE `id` IS NULL"):
        ActionRunner.over(memory).apply(TablePlanner().plan([model], memory.snapshot([model])))


def test_another_format_is_refused_where_it_is_written():
    assert refusal(lambda: table(ID, convert_from="csv")).startswith(
        "dev.silver.orders: convert_from is 'csv'; only parquet is converted in"
    )
    assert refusal(lambda: Parquet(" ")) == "path of Parquet is empty; name a folder, or leave it out"
    assert "convert_from is True; only parquet is converted in place" in refusal(lambda: table(ID, convert_from=True))


def test_a_folder_is_converted_for_the_table_of_its_own_name_only():
    def bound(consent, path):
        return Binding((parse_binding(f"dev.silver={path}"),)).table(table(ID, convert_from=consent)).convert_from

    assert bound(Parquet("/lake"), "ci.pr") is None
    assert bound(Parquet("/lake"), "dev.silver") == Parquet("/lake")
    assert bound("parquet", "ci.pr") == Parquet()
    assert bound(Parquet(statistics=False), "ci.pr") == Parquet(statistics=False)


def test_a_scratch_table_never_touches_the_files_of_its_model():
    scratch = Scratch(MemoryCatalog(), "main")

    assert scratch.table(table(ID, convert_from=Parquet("/lake")), None, None).convert_from is None
