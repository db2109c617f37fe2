"""A model accepts how its table differs: what the plan names becomes as it is stored, and everything else stays."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from pyspark.sql.types import ArrayType, LongType, MapType, StringType, StructField, StructType

from pytest_delta_schema import Check, ForeignKey, MemoryCatalog, Settings, Table
from pytest_delta_schema.engine.adoption import accepted_drift, imported_model
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models.ownership import FORBID
from pytest_delta_schema.plan import CreateTable, ForeignKeyDrop, PropertyPolicy, SetTableProperties, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.report import model_source
from pytest_delta_schema.source_code.calls import table_call
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing import SCENARIOS
from support.covering import ALL
from support.models import NAME, TEXT, column, table
from support.snapshots import TextSnapshot
from support.strategies import models, states

if TYPE_CHECKING:
    from pytest_delta_schema.engine.adoption import ModelOfTable
    from pytest_delta_schema.state import TableState

PARENT = table(column(is_nullable=False), name="dev.silver.customers", primary_key=["id"])


PLAIN = PropertyPolicy()


def created(*models: Table) -> list[TableState]:
    """Return the states of tables that were made for models."""
    catalog = MemoryCatalog()
    ActionRunner.over(catalog).apply(TablePlanner().plan(models, catalog.snapshot(models)))
    tables = catalog.snapshot(models).tables
    return [tables[model.name] for model in models]


def accepted(model: Table, *there: TableState, policy: PropertyPolicy = PLAIN) -> ModelOfTable:
    state = MemoryCatalog(there).snapshot([model])
    wanted = replace(desired_state(model), renames=())
    plan = TablePlanner(policy=policy).plan_states([wanted], state)
    changes = [
        change
        for action in (*plan.actions, *plan.mismatches)
        if action.table == model.name and not isinstance(action, CreateTable)
        for change in action.changes
    ]
    return accepted_drift(model, state.tables[model.name], changes, Settings())


def struct(*fields: StructField) -> StructType:
    return StructType(list(fields))


A, B, C = (StructField(name, LongType()) for name in "abc")

CASES = {
    "a new column comes last": (
        table(column(), column("b")),
        table(column("new", TEXT, comment="why"), column(), column("b")),
    ),
    "a new column is where it is stored if the order is compared": (
        table(column(), column("b"), column_order="manage"),
        table(column(), column("new", TEXT), column("b")),
    ),
    "a column that is gone": (table(column(), column("b", default=1)), table(column())),
    "another type, nullability, comment and default": (
        table(column(comment="old", default=1), column("b")),
        table(column("id", TEXT, is_nullable=False, comment="new", default="'x'"), column("b")),
    ),
    "the spelling of names and expressions that are equal stays": (
        table(column("ID"), column("b"), checks=[Check("Positive", "ID > 0")], primary_key=["ID"]),
        table(column("id"), column("b", TEXT), checks=[Check("positive", "id > 0")], primary_key=["id"]),
    ),
    "fields of structs inside of arrays and maps": (
        table(column("s", ArrayType(MapType(StringType(), struct(A, B))))),
        table(column("s", ArrayType(MapType(StringType(), struct(A, C), False)))),
    ),
    "the metadata of a field stays, and its comment is the stored one": (
        table(column("s", struct(StructField("a", LongType(), True, {"renamed_from": "z", "comment": "old"}), B))),
        table(column("s", struct(StructField("a", LongType(), True, {"comment": "new"}), B, C))),
    ),
    "a rename that was not made": (
        table(column(), column("b", renamed_from="a", comment="x")),
        table(column(), column("a", comment="x")),
    ),
    "checks by name": (
        table(column(), checks=[Check("kept", "id > 0"), Check("other", "id > 1"), Check("gone", "id > 2")]),
        table(column(), checks=[Check("added", "id < 9"), Check("kept", "id > 0"), Check("other", "id > 5")]),
    ),
    "properties by key": (
        table(column(), table_properties={"a": 1, "b": True, "none": None, "gone": "x", "same": 3}),
        table(column(), table_properties={"a": "2", "b": "false", "none": "some", "same": "3", "undeclared": "x"}),
    ),
    "tags of the table and of columns": (
        table(column(tags={"pii": "no", "gone": "x"}), tags={"team": "a", "none": None}),
        table(column(tags={"pii": "yes", "undeclared": ""}), tags={"team": "a", "none": "some"}),
    ),
    "what the contract ignores is not accepted": (
        table(column(), owns={"comments": "ignore", "defaults": "ignore"}, comment="mine"),
        table(
            column(comment="theirs"),
            column("new", struct(StructField("a", LongType(), True, {"comment": "theirs"})), comment="theirs"),
            column("value", default=1),
            comment="theirs",
        ),
    ),
}
"""Models, and what the table has."""


def test_what_differs_becomes_as_it_is_stored(snapshot):
    lines = []
    for name, (model, there) in CASES.items():
        drift = accepted(model, *created(there, PARENT))
        lines.append(f"# {name}\n{model_source(drift.table)}")
        assert (drift.secrets, drift.table.origin) == ((), model.origin), name

    assert "\n".join(lines) == snapshot(extension_class=TextSnapshot)


def test_no_value_that_may_be_a_secret_is_accepted():
    model = table(column(), table_properties={"api.token": "old-x7", "team": "a"})

    drift = accepted(model, *created(table(column(), table_properties={"api.token": "x7secret", "team": "b"})))

    assert drift.secrets == ("api.token",)
    assert drift.table == table(column(), table_properties={"api.token": "old-x7", "team": "b"})


SECRETS = [
    ("note", "password = S3cret"),
    ("note", "Authorization: Basic S3cret"),
    ("note", '[{"name": "password", "value": "S3cret"}]'),
    ("note", "ghp_0123456789abcdefghijABCDEFGHIJ012345"),
    ("note", "u:S3cret@host"),
    ("note", "x" * 70_000 + " token=S3cret"),
    ("privateKeyPem", "S3cret"),
]


def test_an_import_names_what_it_does_not_declare_and_changes_no_value():
    for key, value in SECRETS:
        state = created(table(column(), table_properties={key: value, "pass_rate": "0.5"}))[0]

        model = imported_model(state, Settings())

        assert model.secrets == (key,)
        assert dict(model.table.table_properties) == {"pass_rate": "0.5"}
        assert state.table_properties[key] == value


def test_names_of_the_catalog_become_those_of_models():
    key = ForeignKey(["b"], "prod.silver.customers", ["id"], name="own")
    there = table(column("b"), name="prod.silver.orders", foreign_keys=[key])
    parent = table(column(is_nullable=False), name="prod.silver.customers", primary_key=["id"])
    model = table(column("b"))

    drift = accepted_drift(
        model,
        created(there, parent)[0],
        [ForeignKeyDrop(key=desired_state(there).foreign_keys[0])],
        Settings(bindings=((("dev",), ("prod",)),)),
    )

    wanted = ForeignKey(["b"], "dev.silver.customers", ["id"], name="own")
    assert table_call(drift.table) == table_call(table(column("b"), foreign_keys=[wanted]))


def test_a_default_of_the_project_that_the_table_lacks_is_declared_absent():
    drift = accepted_drift(
        table(column(), table_properties={"size": "2"}),
        created(table(column()))[0],
        [SetTableProperties(properties={"size": "2", "team": "a"})],
        Settings(default_properties=(("size", "1"), ("team", "a"))),
    )

    assert drift.table == table(column(), table_properties={"size": None, "team": None})


def is_accepted(scenario) -> bool:
    """Whether nothing is planned for the model that accepts how the table of a scenario differs."""
    own, *others = created(scenario.before, *(other for other, _ in scenario.other_tables))
    properties = MappingProxyType({**own.table_properties, **scenario.external_properties})
    there = [replace(own, table_properties=properties), *others]
    drift = accepted(scenario.after, *there, policy=scenario.property_policy)
    state = MemoryCatalog(there).snapshot([scenario.after])
    plan = TablePlanner(policy=scenario.property_policy).plan([drift.table], state)
    return not [line for action in (*plan.actions, *plan.mismatches) for line in change_lines(action)]


def test_after_each_mutation_of_a_table_the_model_that_accepts_it_has_nothing_to_plan():
    mutations = [
        scenario
        for scenario in SCENARIOS
        if scenario.before is not None
        and scenario.parquet is None
        # The first needs an apply to write its record, and no model declares what the project forbids.
        and not scenario.property_policy.keeps_record
        and FORBID not in dict(scenario.property_policy.modes).values()
    ]

    assert len(mutations) > 100
    assert [scenario.name for scenario in mutations if not is_accepted(scenario)] == []


@given(model=models(), there=states().filter(lambda state: state.exists))
@settings(max_examples=300 if ALL else 100, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_stored_can_be_accepted(model, there):
    drift = accepted(model, there)

    assert TablePlanner().plan([drift.table], MemoryCatalog([there]).snapshot([model])).is_empty
    assert drift.table.name == NAME
