"""UNIQUE constraints: declarations, rules, adoption, properties, data checks and Databricks' runtimes."""

from __future__ import annotations

from runpy import run_path

import pytest
from pyspark.sql.types import ArrayType, MapType

from pytest_delta_schema import (
    Check,
    ForeignKey,
    MemoryCatalog,
    Orchestrator,
    Settings,
    Unique,
    UnsafePlanError,
    model_source,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.plan import UniqueAdd
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import KeyState
from pytest_delta_schema.state.desired import declared_table, desired_state
from pytest_delta_schema.state.keys import key_property, keys_in_properties
from pytest_delta_schema.testing.scenario import ID, LONG, TEXT, child, column, columns, parent
from support.catalogs.databricks import Doubled, Workspace
from support.tables import NAME

MAIL, REGION = column("mail", TEXT), column("region", TEXT)


def wanted():
    return columns(ID, MAIL, unique=[Unique(["mail"])])


def key(name, *names):
    return KeyState(name, names, kind="unique constraint")


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Unique("mail"), "columns of a unique constraint must be a list of names, got the bare string 'mail'"),
        (lambda: Unique([]), "a unique constraint has no columns; name at least one"),
        (lambda: Unique(["mail"], name=" "), "the name of a unique constraint is empty"),
        (
            lambda: columns(ID, unique=Unique(["id"])),
            r"unique must be a list of Unique, got Unique\(.*\); write \[Unique\(\.\.\.\), \.\.\.\]",
        ),
        (
            lambda: columns(ID, unique=["id"]),
            r"dev.silver.orders: unique\[0\] is 'id', not a Unique; write Unique\(columns\)",
        ),
    ],
    ids=["bare string", "no columns", "empty name", "no list", "no constraint"],
)
def test_a_declaration_that_can_never_be_valid_is_refused(declare, message):
    with pytest.raises(DeclarationError, match=message):
        declare()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(columns(ID, MAIL, primary_key=["id"], unique=[Unique(["mail"])]), [], id="valid"),
        pytest.param(columns(ID, MAIL, unique=[Unique(["mail"]), Unique(["mail", "id"])]), [], id="one inside another"),
        pytest.param(
            columns(ID, MAIL, unique=[Unique(["mail", "gone", "MAIL"])]),
            [
                (
                    "DS123 unique.uq_dev_silver_orders__mail_gone_mail: unique constraint (mail, gone, MAIL) names mail"
                    " twice; name it once"
                ),
                (
                    "DS123 unique.uq_dev_silver_orders__mail_gone_mail: unique constraint (mail, gone, MAIL) names gone, which"
                    " is not a column of the model; declare it, or fix the constraint"
                ),
            ],
            id="columns that are missing and repeated",
        ),
        pytest.param(
            columns(ID, column("m", ArrayType(MapType(LONG, LONG))), unique=[Unique(["id", "m"])]),
            [
                (
                    "DS123 unique.uq_dev_silver_orders__id_m: unique constraint (id, m) names m, which is"
                    " array<map<bigint, bigint>>, whose values cannot be compared; choose columns whose types hold no map and no variant"
                )
            ],
            id="a collection",
        ),
        pytest.param(
            columns(ID, column("mail", is_nullable=False), primary_key=["id", "mail"], unique=[Unique(["MAIL", "id"])]),
            [
                (
                    "DS124 unique.uq_dev_silver_orders__mail_id: "
                    "unique constraint (MAIL, id) has the same columns as primary"
                    " key pk_dev_silver_orders__id_mail; keep one of the two"
                )
            ],
            id="columns of the primary key",
        ),
        pytest.param(
            columns(ID, MAIL, unique=[Unique(["mail"]), Unique(["mail"], name="other"), Unique(["Mail"])]),
            [
                (
                    "DS124 unique.uq_dev_silver_orders__mail: "
                    "unique constraint (mail) has the same columns as unique constraint"
                    " other; keep one of the two"
                ),
                (
                    "DS124 unique.uq_dev_silver_orders__mail: "
                    "unique constraint (Mail) has the same columns as unique constraint"
                    " other; keep one of the two"
                ),
            ],
            id="columns of another one",
        ),
        pytest.param(
            columns(
                ID,
                MAIL,
                REGION,
                column("n"),
                primary_key=["id"],
                checks=[Check("positive", "id > 0")],
                unique=[
                    Unique(["mail"], name="Positive"),
                    Unique(["n"], name="PK_dev_silver_orders__id"),
                    Unique(["region"], name="positive"),
                ],
            ),
            [
                (
                    "DS124 unique.PK_dev_silver_orders__id: "
                    "unique constraint (n) has the name PK_dev_silver_orders__id, which"
                    " primary key (id) has already; choose a different name with name=..."
                ),
                (
                    "DS124 unique.Positive: "
                    "unique constraint (mail) has the name Positive, which check positive has already;"
                    " choose a different name with name=..."
                ),
                (
                    "DS124 unique.positive: "
                    "unique constraint (region) has the name positive, which check positive has already;"
                    " choose a different name with name=..."
                ),
            ],
            id="names of others",
        ),
        pytest.param(
            child(ForeignKey(["parent"], parent(), name="u"), unique=[Unique(["region"], name="U")]),
            [
                (
                    "DS116 foreign_keys.u: "
                    "foreign key (parent) has the name u, which the unique constraint has already; choose"
                    " a different name with name=..."
                )
            ],
            id="name of a foreign key",
        ),
        pytest.param(
            columns(ID, unique=[Unique(["id"], name="\ud800")]),
            [
                (
                    "DS122 : the name of a unique constraint '\\ud800' holds half a character (a lone surrogate), which"
                    " UTF-8 cannot encode; write the whole character"
                )
            ],
            id="half a character",
        ),
    ],
)
def test_rules_for_declarations(model, expected):
    violations = PlanValidator().model_violations([model])

    assert [
        f"{violation.code} {violation.path}: {violation.message}; {violation.remedy}" for violation in violations
    ] == expected


def test_names_are_derived_from_the_model_and_hashed_past_the_limit():
    long = "c" * 250
    model = Binding((parse_binding("dev.silver=ci.silver"),)).table(
        columns(ID, column(long), unique=[Unique(["id"]), Unique([long]), Unique(["id", long], name="chosen")])
    )

    names = [unique.name for unique in desired_state(model).unique]

    assert names[0] == "chosen"
    assert names[1].startswith("uq_dev_silver_orders__ccc")
    assert len(names[1]) == 255
    assert names[2] == "uq_dev_silver_orders__id"


def test_a_change_has_columns():
    with pytest.raises(ValueError, match="UniqueAdd would change nothing; leave it out of the plan"):
        UniqueAdd(key=key("u"))


def test_a_table_with_unique_columns_is_adopted(tmp_path):
    model = columns(ID, MAIL, REGION, unique=[Unique(["mail"]), Unique(["region", "mail"], name="chosen")])
    state = desired_state(model)
    path = tmp_path / "models.py"

    path.write_text(model_source(declared_table(state)), "utf-8")

    assert '    unique=[Unique(["region", "mail"], name="chosen"), Unique(["mail"])],\n' in path.read_text("utf-8")
    assert desired_state(run_path(str(path))["orders"]).unique == state.unique


def test_each_constraint_has_a_property_in_open_source_delta():
    keys = (key("One_account", "mail", "día"), key("two", "id"))
    properties = {**key_property(keys[1]), **key_property(keys[0])}

    assert properties == {
        "pytest_delta_schema.unique.two": '{"name": "two", "columns": ["id"]}',
        "pytest_delta_schema.unique.one_account": '{"name": "One_account", "columns": ["mail", "día"]}',
    }
    assert keys_in_properties(properties) == {"primary_key": None, "unique": keys, "foreign_keys": ()}


def test_repeated_values_block_the_plan_and_rows_with_null_do_not():
    target = MemoryCatalog()
    before = columns(ID, MAIL, REGION)
    after = columns(ID, MAIL, REGION, unique=[Unique(["mail", "region"])])
    Orchestrator.over(target).sync_tables([before])
    target.insert(NAME, [{"id": 1, "mail": "a"}, {"id": 2, "mail": "a"}, {"id": 3, "mail": "a", "region": "EU"}])
    Orchestrator.over(target).sync_tables([after])
    Orchestrator.over(target).sync_tables([before])
    target.insert(NAME, [{"id": 4, "mail": "a", "region": "EU"}])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(target).sync_tables([after])

    (violation,) = caught.value.diagnostics
    assert (violation.code, violation.path) == ("DS303", "unique.uq_dev_silver_orders__mail_region")
    assert str(violation.full_message) == (
        "unique constraint uq_dev_silver_orders__mail_region (mail, region) cannot be added, because 1 row repeats the"
        " key of another, of 4, such as (mail, region) = (a, EU)"
    )


def test_without_data_checks_it_is_added_unchecked_because_no_query_relies_on_it():
    target = MemoryCatalog()
    Orchestrator.over(target).sync_tables([columns(ID, MAIL)])
    target.insert(NAME, [{"id": 1, "mail": "a"}, {"id": 2, "mail": "a"}])

    Orchestrator.over(target, settings=Settings(preflight="off")).sync_tables([wanted()])

    assert target.snapshot([wanted()]).tables[NAME].unique == (key("uq_dev_silver_orders__mail", "mail"),)


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        (None, []),
        ("18.x-scala2.13", []),
        ("19.0.x-scala2.13", []),
        *(
            (
                runtime,
                [
                    (
                        "DS218 the databricks backend cannot add unique constraint: its runtime has no UNIQUE"
                        " constraints, which came after 18.2; run it on a newer runtime or a SQL warehouse, or leave the"
                        " constraint out"
                    )
                ],
            )
            for runtime in ("18.2.x-scala2.13", "16.4.x-scala2.12", "custom:local")
        ),
    ],
)
def test_old_runtimes_of_databricks_refuse_it_before_anything_runs(runtime, expected):
    workspace = Workspace(MemoryCatalog())
    workspace.runtime = runtime
    catalog = Doubled(workspace)
    Orchestrator.over(catalog).sync_tables([columns(ID, MAIL)])
    version = catalog.version(NAME)

    try:
        Orchestrator.over(catalog).sync_tables([wanted()])
    except UnsafePlanError as error:
        messages = [f"{violation.code} {violation.message}; {violation.remedy}" for violation in error.diagnostics]
    else:
        messages = []

    assert messages == expected
    assert (catalog.version(NAME) == version) is bool(expected)
    # What another runtime has added can be read and dropped.
    workspace.runtime = None
    Orchestrator.over(Doubled(workspace)).sync_tables([wanted()])
    workspace.runtime = "16.4.x-scala2.12"
    Orchestrator.over(catalog).sync_tables([columns(ID, MAIL)])
    assert catalog.snapshot([wanted()]).tables[NAME].unique == ()
