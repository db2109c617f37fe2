"""Rules about the layout and about conversion from parquet, with their messages."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, Parquet, UnsafePlanError
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.report.text import aligned
from pytest_delta_schema.rules import Consent, PlanValidator, default_plan_rules
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import SourceState, TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import INT as INTEGER
from pytest_delta_schema.testing.scenario import LONG, field, struct
from pytest_delta_schema.testing.scenario import TEXT as STRING
from support.models import NAME, TEXT, catalog, column, state, stored, table

INT = spark.IntegerType()
MANY = [column(f"c{number}") for number in range(40)]


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        pytest.param(
            [column("a"), column("b"), column("c")],
            {"partitioned_by": ["a"], "clustered_by": ["b"]},
            ["declares partitioned_by and clustered_by, which exclude each other; keep one of them"],
            id="both",
        ),
        pytest.param(
            [
                column("a"),
                Column("s", struct(field("x"))),
                column("v", spark.VariantType()),
                column("i", identity=True),
                column("z"),
            ],
            {"partitioned_by": ["gone", "s", "v", "i", "a", "A"]},
            [
                "partitioned_by names gone, which is not a column; declare it, or leave it out",
                "partitioned_by names s, but Delta does not partition by struct<x: bigint>; use an atomic column",
                "partitioned_by names v, but Delta does not partition by variant; use an atomic column",
                "partitioned_by names the identity column i, which Delta refuses; use another column",
                "partitioned_by names a twice; name it once",
            ],
            id="partitions",
        ),
        pytest.param(
            [column("a"), column("B")],
            {"partitioned_by": ["b", "a"]},
            ["is partitioned by all of its columns, so none is left for its files; leave one out"],
            id="all columns",
        ),
        pytest.param(
            [
                column("a"),
                Column("s", struct(field("x"))),
                Column("l", spark.ArrayType(struct(field("p")))),
                column("b", spark.BooleanType()),
                column("c", TEXT),
            ],
            {"clustered_by": ["gone", "s", "l.element.p", "b", "c", "C"]},
            [
                "clustered_by names gone, which is not a column or a field of a struct; declare it, or leave it out",
                "clustered_by names s, but Delta has no minimum and maximum of struct<x: bigint>; use another column",
                "clustered_by names l.element.p, which is not a column or a field of a struct; declare it, or leave it out",
                "clustered_by names b, but Delta has no minimum and maximum of boolean; use another column",
                "clustered_by names c twice; name it once",
                "is clustered by 6 columns, and Delta allows 4; keep the columns that readers filter by most",
            ],
            id="clustering",
        ),
        pytest.param(
            [column(), column("a\0b")],
            {"partitioned_by": ["a\0b"]},
            [
                (
                    "partitioned_by names 'a\\x00b', and the names of partition folders cannot hold a null"
                    " character; rename the column"
                ),
            ],
            id="a null character",
        ),
        pytest.param(
            MANY,
            {"clustered_by": ["c31", "c32"]},
            [
                (
                    "clustered_by names c32, but Delta collects statistics of the first 32 columns only;"
                    " declare the column earlier, or declare the property delta.dataSkippingStatsColumns"
                ),
            ],
            id="beyond the statistics",
        ),
        pytest.param(
            MANY,
            {"clustered_by": ["c39"], "table_properties": {"delta.dataSkippingStatsColumns": "c39"}},
            [],
            id="with its own statistics",
        ),
        pytest.param(
            [column("a"), Column("s", struct(field("x"), field("y.z"))), column("b.c")],
            {"clustered_by": ["s.X", "b.c", "`S`.`Y.z`"]},
            [],
            id="fine",
        ),
    ],
)
def test_declared_layouts(columns, options, expected):
    violations = PlanValidator().model_violations([table(*columns, **options)])

    texts = [
        str(violation).removeprefix("dev.silver.orders: ") for violation in violations if violation.code == "DS119"
    ]
    assert texts == [f"{value} [DS119 InvalidLayout]" for value in expected]


def test_a_rewrite_needs_consent_by_name():
    before, after = table(column(), column("d"), clustered_by=["d"]), table(column(), column("d"), partitioned_by=["d"])
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))
    of_another = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", "dev.silver.orders2")]))

    assert [str(item) for item in PlanValidator().plan_violations(plan)] == [
        (
            "dev.silver.orders: is clustered by (d) and partitioned by (d) in the model, so all of its data has to be"
            ' rewritten; declare the layout that it has, or consent with --delta-allow "rewrite dev.silver.orders"'
            " [DS216 RewriteWithoutConsent]"
        ),
    ]
    assert agreed.plan_violations(plan) == ()
    assert len(of_another.plan_violations(plan)) == 1


@pytest.mark.parametrize(("value", "shown"), [("none", "none"), (None, "absent")], ids=["none", "absent"])
def test_the_removal_of_column_mapping_needs_consent_by_name(value, shown):
    before, after = (table(column(), table_properties={"delta.columnMapping.mode": mode}) for mode in ("id", value))
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))

    assert [str(item) for item in PlanValidator().plan_violations(plan)] == [
        (
            f"dev.silver.orders: has column mapping by id, and delta.columnMapping.mode is {shown} in the model, so all"
            " of its data has to be rewritten; declare delta.columnMapping.mode='id', or consent with --delta-allow"
            ' "rewrite dev.silver.orders" [DS216 RewriteWithoutConsent]'
        ),
    ]
    assert agreed.plan_violations(plan) == ()


def test_one_consent_permits_both_rewrites_of_a_table():
    before = table(column(), column("d"), table_properties={"delta.columnMapping.mode": "name"})
    after = table(column(), column("d"), partitioned_by=["d"], table_properties={"delta.columnMapping.mode": "none"})
    plan = TablePlanner().plan([after], catalog(desired_state(before)))
    agreed = PlanValidator(plan_rules=default_plan_rules([Consent("rewrite", str(NAME))]))

    refused = [violation.path for violation in PlanValidator().plan_violations(plan)]
    assert [str(path) for path in refused] == ["layout", "properties.delta.columnMapping.mode"]
    assert agreed.plan_violations(plan) == ()


def test_a_new_table_is_laid_out_freely():
    plan = TablePlanner().plan(
        [table(column(), column("d"), partitioned_by=["d"])],
        catalog(TableState(name=NAME, exists=False)),
    )

    assert PlanValidator().plan_violations(plan) == ()


ID = Column("id", LONG)
PATH = "/lake/it's `here`"


def plan(model, source, *columns, **options):
    return TablePlanner().plan([model], catalog(state(*columns, source=source, **options)))


def refusals(model, source, *columns, **options):
    violations = PlanValidator().plan_violations(plan(model, source, *columns, **options))
    return [str(violation) for violation in violations if violation.code == "DS217"]


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
    assert refusals(model, source, stored(), stored("DAY", "string"), partitioning=("DAY",)) == []


def test_a_folder_that_is_delta_is_only_made_known():
    (action,) = plan(table(ID, convert_from=Parquet(PATH)), SourceState("delta", PATH), stored()).actions

    assert script(statements(action)) == (
        "CREATE TABLE `dev`.`silver`.`orders` USING DELTA LOCATION '/lake/it\\'s `here`';"
    )
    assert change_lines(action)[0].loss == ""
    assert refusals(table(ID, convert_from=Parquet(PATH)), SourceState("delta", PATH), stored()) == []


def test_files_in_the_folder_of_the_table_need_no_registration():
    source = SourceState("parquet", PATH, is_in_place=True, folders=((),))
    (action,) = plan(table(ID, convert_from="parquet"), source, stored()).actions

    assert script(statements(action)) == "CONVERT TO DELTA parquet.`/lake/it's ``here```;"


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        (spark.StringType(), "anything", True),
        (spark.ByteType(), "127", True),
        (spark.ByteType(), "128", False),
        (spark.ShortType(), "-32768", True),
        (spark.IntegerType(), "2147483648", False),
        (spark.LongType(), "9223372036854775807", True),
        (spark.LongType(), "1.5", False),
        (spark.DoubleType(), "1.5e3", True),
        (spark.DecimalType(5, 2), "x", False),
        (spark.BooleanType(), "TRUE", True),
        (spark.BooleanType(), "yes", False),
        (spark.DateType(), "2024-02-29", True),
        (spark.DateType(), "2023-02-29", False),
        (spark.TimestampType(), "2024-01-01 10%3A00%3A00", True),
        (spark.TimestampType(), "noon", False),
        (spark.DateType(), "__HIVE_DEFAULT_PARTITION__", True),
    ],
)
def test_a_folder_has_to_be_named_by_a_value_of_the_declared_type(kind, value, fits):
    source = SourceState("parquet", PATH, folders=((f"day={value}",),))

    violations = refusals(by_day(kind), source, stored(), stored("day", "string"), partitioning=("day",))

    if fits:
        assert violations == []
    else:
        (text,) = violations
        assert f"cannot be read as {kind.simpleString()}: first in the folder day={value}" in text


def test_folders_of_timestamps_without_a_zone_are_converted_only_where_a_catalog_knows_their_type():
    model, folders = by_day(spark.TimestampNTZType()), (("day=2024-01-01 10%3A00%3A00",),)
    known = SourceState("parquet", PATH, is_registered=True, folders=folders)

    (refusal,) = refusals(
        model,
        SourceState("parquet", PATH, folders=folders),
        stored(),
        stored("day", "string"),
        partitioning=("day",),
    )

    assert refusal == (
        "dev.silver.orders: is partitioned by day as timestamp_ntz in the model, which CONVERT TO DELTA refuses"
        " (Delta 4.4.0); declare day as timestamp or string, or rewrite the files [DS217 ConversionSourceMismatch]"
    )
    assert refusals(model, known, stored(), stored("day", "timestamp_ntz"), partitioning=("day",)) == []


@pytest.mark.parametrize(
    ("model", "source", "columns", "text"),
    [
        (
            table(ID, convert_from="parquet"),
            SourceState("nothing", PATH, is_registered=True),
            (),
            (
                f"dev.silver.orders: cannot be converted, because there are no files in {PATH};"
                " drop the empty table, and it is created [DS217 ConversionSourceMismatch]"
            ),
        ),
        (
            table(ID, convert_from=Parquet(PATH)),
            SourceState("nothing", PATH),
            (),
            (
                f"dev.silver.orders: cannot be converted, because there are no files in {PATH};"
                " correct the path, or leave it out [DS217 ConversionSourceMismatch]"
            ),
        ),
        (
            table(ID, convert_from="parquet"),
            SourceState("orc", PATH, is_registered=True, folders=((),)),
            (),
            (
                f"dev.silver.orders: cannot be converted, because {PATH} holds orc, and only parquet becomes Delta;"
                " rewrite it: spark.read.format('orc').load(...).write.saveAsTable(...)"
                " [DS217 ConversionSourceMismatch]"
            ),
        ),
        (
            table(ID, convert_from=Parquet("/elsewhere")),
            SourceState("parquet", PATH, is_registered=True, folders=((),)),
            (stored(),),
            (
                f"dev.silver.orders: is a parquet table at {PATH}, but the model declares the path /elsewhere; leave the path out to"
                " convert the table, or give the model another name [DS217 ConversionSourceMismatch]"
            ),
        ),
        (
            table(ID, convert_from="parquet"),
            SourceState("parquet", PATH, is_registered=True, folders=((),), conflict="b.parquet does not fit"),
            (stored(),),
            (
                "dev.silver.orders: cannot be converted, because the schemas of its files do not merge: b.parquet does not"
                " fit; rewrite that file [DS217 ConversionSourceMismatch]"
            ),
        ),
        *(
            (
                table(ID, convert_from="parquet"),
                SourceState(kind, PATH, folders=((),), sign="a/deletion_vector_1.bin"),
                (stored(),),
                (
                    f"dev.silver.orders: cannot be converted, because {PATH} holds the files of a Delta table whose log is"
                    " gone (see a/deletion_vector_1.bin); restore _delta_log from a backup, because without it rows that"
                    " were deleted or replaced come back [DS217 ConversionSourceMismatch]"
                ),
            )
            for kind in ("parquet", "nothing")
        ),
        (
            table(ID, partitioned_by=["nowhere"], convert_from="parquet"),
            SourceState("parquet", PATH, is_registered=True, folders=(("nowhere=1",),)),
            (stored(),),
            None,
        ),
    ],
)
def test_what_the_files_forbid(model, source, columns, text):
    assert refusals(model, source, *columns) == ([] if text is None else [text])


def test_files_are_no_table_to_a_model_that_does_not_consent():
    files = state(stored(), source=SourceState("parquet", PATH, is_registered=True, folders=((),)))

    with pytest.raises(CatalogReadError, match="is a parquet table, not a Delta table; consent to its conversion with"):
        Orchestrator.over(MemoryCatalog([files])).sync_tables([table(ID)])


def test_files_whose_log_is_gone_are_not_offered_for_conversion():
    files = state(stored(), source=SourceState("parquet", PATH, folders=((),), sign="_delta_schema"))

    with pytest.raises(CatalogReadError) as caught:
        Orchestrator.over(MemoryCatalog([files])).sync_tables([table(ID)])

    assert str(caught.value) == (
        f"dev.silver.orders: {PATH} holds the files of a Delta table whose log is gone (see _delta_schema); restore"
        " _delta_log from a backup, because without it rows that were deleted or replaced come back"
        " [DS503 DamagedTable]"
    )


def test_a_folder_becomes_a_table_of_the_memory_catalog_too():
    files = state(stored(), source=SourceState("parquet", PATH, folders=((),), files=1))
    memory = MemoryCatalog([files], rows={NAME: [{"id": 1}]})
    model = table(ID, Column("n", INTEGER), convert_from=Parquet(PATH))

    Orchestrator.over(memory).sync_tables([model])

    assert memory.version(NAME) == 1
    assert TablePlanner().plan([model], memory.snapshot([model])).is_empty


def test_rows_of_files_refuse_a_plan_with_a_query_over_the_files():
    files = state(stored(), source=SourceState("parquet", "/lake", folders=((),), files=1))
    memory = MemoryCatalog([files], rows={NAME: [{"id": None}]})
    model = table(Column("id", LONG, is_nullable=False), convert_from=Parquet("/lake"))

    with pytest.raises(UnsafePlanError, match=r"listed by SELECT \* FROM parquet\.`/lake` WHERE `id` IS NULL"):
        ActionRunner.over(memory).apply(TablePlanner().plan([model], memory.snapshot([model])))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: table(ID, convert_from="csv"),
            "dev.silver.orders: convert_from is 'csv'; only parquet is converted in",
        ),
        (lambda: table(ID, convert_from=Parquet(" ")), "path of Parquet is empty; name a folder, or leave it out"),
        (
            lambda: table(Column("t", STRING), convert_from=True),
            "convert_from is True; only parquet is converted in place",
        ),
    ],
)
def test_another_format_is_refused_where_it_is_written(make, text):
    with pytest.raises(DeclarationError) as caught:
        make()

    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("consent", "path", "bound"),
    [
        (Parquet("/lake"), "ci.pr", None),
        (Parquet("/lake"), "dev.silver", Parquet("/lake")),
        ("parquet", "ci.pr", Parquet()),
        (Parquet(statistics=False), "ci.pr", Parquet(statistics=False)),
    ],
)
def test_a_folder_is_converted_for_the_table_of_its_own_name_only(consent, path, bound):
    binding = Binding((parse_binding(f"dev.silver={path}"),))

    assert binding.table(table(ID, convert_from=consent)).convert_from == bound


def test_a_scratch_table_never_touches_the_files_of_its_model():
    scratch = Scratch(MemoryCatalog(), "main")

    assert scratch.table(table(ID, convert_from=Parquet("/lake")), None, None).convert_from is None
