"""The states that a gate has, and the parents of foreign keys that it reads besides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql.types import LongType

from pytest_delta_schema import (
    ApplyError,
    Check,
    ForeignKey,
    MemoryCatalog,
    Orchestrator,
    QualifiedName,
    Settings,
    UnsafePlanError,
)
from pytest_delta_schema.diagnostics.errors import ApplyErrors, BackendUnavailableError, Diagnostic
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.sqlglot_compat import parse_tokens
from pytest_delta_schema.state import CatalogState, ColumnState, KeyState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import parsing
from support.catalogs import Recording
from support.models import NAME, column, state, stored, table


class Counting(MemoryCatalog):
    reads = 0

    def snapshot(self, models):
        self.reads += 1
        return super().snapshot(models)


class Down(MemoryCatalog):
    def snapshot(self, _models):
        raise BackendUnavailableError("no route to host")


class View(MemoryCatalog):
    def snapshot(self, _models):
        return CatalogState.of({NAME: Diagnostic(table=str(NAME), message="is a view")})


BOUND = QualifiedName("ci", "silver", "orders")
ID = ColumnState("id", "bigint", True, "")


def test_the_states_are_those_of_the_bound_table_under_the_settings():
    catalog = Counting([state(stored("old"), name=BOUND)])
    settings = Settings(bindings=((("dev",), ("ci",)),), default_properties=(("team", "sales"),))
    model = table(column())
    gate = Gate(catalog, [model], settings=settings)
    gate.drift(model)

    desired, observed = gate.states(model)

    assert (desired.name, desired.logical_name, desired.columns) == (BOUND, NAME, (ID,))
    assert desired.table_properties == {"team": "sales"}
    assert observed is not None
    assert (observed.name, observed.columns) == (BOUND, (stored("old"),))
    assert catalog.reads == 1


def test_what_was_read_before_an_apply_is_the_observed_state():
    model = table(column())
    gate = Gate(MemoryCatalog(), [model], settings=Settings())
    gate.apply(model)

    _, observed = gate.states(model)

    assert observed is not None
    assert not observed.exists


def test_a_catalog_that_was_not_read_is_not_read_for_the_states():
    catalog = Counting()
    desired, observed = Gate(catalog, [model := table(column())], settings=Settings()).states(model)

    assert (desired.columns, observed, catalog.reads) == ((ID,), None, 0)


def test_what_cannot_be_read_has_no_observed_state():
    for catalog in (Down(), View()):
        gate = Gate(catalog, [model := table(column())], settings=Settings())
        gate.drift(model)

        desired, observed = gate.states(model)

        assert (desired.columns, observed) == ((ID,), None)


def test_other_declared_tables_that_reference_a_model_are_read_with_it():
    parent = table(column(is_nullable=False), primary_key=["id"])
    key = ForeignKey(["order_id"], references=parent)
    child = table(column("order_id"), name="dev.silver.lines", foreign_keys=[key])
    declarations = Declarations(Settings(), {model.name: model for model in (parent, child)})
    gate = Gate(MemoryCatalog(), [parent], declarations=declarations)

    assert gate.dependents([parent]) == [child]
    assert gate.dependents([child]) == []
    assert set(gate.state().tables) == {parent.name, child.name}


PARENT = QualifiedName("dev", "silver", "customers")
CHILD = QualifiedName("dev", "silver", "orders")


def customers(*key: str, **options):
    columns = [column(name, is_nullable=False) for name in ("id", "region")]
    return table(*columns, name=str(PARENT), primary_key=key or ["id"], **options)


def orders(parent=None, **options):
    keys = [] if parent is None else [ForeignKey(["customer_id"], parent)]
    return table(column(), column("customer_id"), name=str(CHILD), foreign_keys=keys, **options)


def circle():
    columns = [column(is_nullable=False), column("a")]
    left = [ForeignKey(["a"], "dev.gold.right")]
    right = [ForeignKey(["a"], "dev.silver.left"), ForeignKey(["id"], "dev.gold.right")]
    return [
        table(*columns, name="dev.silver.left", primary_key=["id"], foreign_keys=left),
        table(*columns, name="dev.gold.right", primary_key=["id"], foreign_keys=right),
    ]


@pytest.fixture
def catalog():
    return Recording()


def sync(catalog, *models, other_models=()):
    catalog.ran.clear()
    catalog.tables.clear()
    return Orchestrator.over(catalog).sync_tables(models, other_models=other_models)


def keys(catalog, model) -> list[str]:
    return [key.name for key in catalog.snapshot([model]).tables[model.name].foreign_keys]


def test_foreign_keys_come_when_all_tables_are_there(catalog):
    models = circle()

    result = sync(catalog, *models)

    assert catalog.story == [
        "right: create schema",
        "right: create table",
        "right: add primary key",
        "left: create schema",
        "left: create table",
        "left: add primary key",
        "right: add foreign key",
        "right: add foreign key",
        "left: add foreign key",
    ]
    assert [statement.kind.value for statement in result.statements] == catalog.ran
    assert Orchestrator.over(catalog).plan_tables(models).is_empty


def test_foreign_keys_step_aside_when_the_key_they_point_at_changes(catalog):
    there = customers("id")
    sync(catalog, there, orders(there))
    stored = catalog.snapshot([there]).tables[PARENT]
    catalog = Recording(
        [
            catalog.snapshot([orders(there)]).tables[CHILD],
            replace(stored, primary_key=KeyState("old", ("id",))),
        ],
    )

    sync(catalog, customers("id"))

    assert catalog.story == [
        "orders: drop foreign key",
        "customers: drop primary key",
        "customers: add primary key",
        "orders: add foreign key",
    ]
    assert keys(catalog, orders()) == ["fk_dev_silver_orders__customer_id"]


def test_a_key_and_the_foreign_key_that_points_at_it_change_together(catalog):
    sync(catalog, customers("id"), orders(customers("id")))
    keys = [ForeignKey(["customer_id", "region"], customers("id", "region"))]
    wide = replace(orders(), columns=[*orders().columns, column("region")], foreign_keys=keys)

    sync(catalog, wide, customers("id", "region"))

    assert catalog.story == [
        "orders: drop foreign key",
        "customers: drop primary key",
        "customers: add primary key",
        "orders: add columns",
        "orders: add foreign key",
    ]
    assert Orchestrator.over(catalog).plan_tables([wide, customers("id", "region")]).is_empty


def test_a_parent_alone_drops_what_a_known_child_does_not_want_any_more(catalog):
    sync(catalog, customers("id"), orders(customers("id")))

    sync(catalog, customers("id", "region"), other_models=[orders()])

    assert keys(catalog, orders()) == []


def test_a_key_that_an_undeclared_table_references_is_not_dropped(catalog):
    sync(catalog, customers("id"), orders(customers("id")))

    with pytest.raises(UnsafePlanError, match=r"dev\.silver\.orders: .* references \(id\) of dev\.silver\.customers"):
        sync(catalog, customers("id", "region"))

    assert catalog.ran == []
    assert keys(catalog, orders()) == ["fk_dev_silver_orders__customer_id"]


def test_rows_without_a_parent_block_the_whole_plan_of_their_table(catalog):
    sync(catalog, customers("id"), orders(primary_key=[]))
    catalog.insert(PARENT, [{"id": 1, "region": 1}])
    catalog.insert(CHILD, [{"id": 1, "customer_id": 1}, {"id": 2, "customer_id": 7}, {"id": 3}])

    with pytest.raises(UnsafePlanError) as caught:
        sync(catalog, orders(customers("id"), comment="New"))

    assert str(caught.value) == (
        "dev.silver.orders: foreign key fk_dev_silver_orders__customer_id (customer_id) cannot be added, because 1 row has"
        " no parent in dev.silver.customers, of 3, such as customer_id = 7; add the parents (they are listed by SELECT *"
        " FROM `dev`.`silver`.`orders` AS c ANTI JOIN `dev`.`silver`.`customers` AS p ON c.`customer_id` = p.`id`"
        " WHERE c.`customer_id` IS NOT NULL), or leave the foreign key out [DS304 RowsWithoutParent]"
    )
    assert catalog.ran == []


def test_a_parent_that_its_data_holds_back_holds_back_its_children(catalog):
    sync(catalog, customers("id"), orders())
    catalog.insert(PARENT, [{"id": -1, "region": 1}])
    grandchild = table(column(), name="dev.silver.lines", foreign_keys=[ForeignKey(["id"], str(CHILD))])
    parent = customers("id", checks=[Check("positive", "id > 0")])
    child = table(
        column(is_nullable=False),
        column("customer_id"),
        name=str(CHILD),
        primary_key=["id"],
        foreign_keys=[ForeignKey(["customer_id"], parent)],
    )

    with pytest.raises(UnsafePlanError) as caught:
        sync(catalog, parent, child, grandchild, table(column(), name="dev.silver.other"))

    assert [str(violation).partition("; ")[0] for violation in caught.value.diagnostics] == [
        "dev.silver.customers: check positive (id > 0) cannot be added, because 1 row breaks it, of 1, such as id = -1",
        (
            "dev.silver.orders: is not changed, because its foreign key fk_dev_silver_orders__customer_id"
            " references dev.silver.customers, which is not changed either"
        ),
        (
            "dev.silver.lines: is not changed, because its foreign key fk_dev_silver_lines__id"
            " references dev.silver.orders, which is not changed either"
        ),
    ]
    assert catalog.story == ["other: create table"]


def test_a_parent_that_fails_midway_gets_no_new_foreign_keys():
    catalog = Recording(fail=[(StatementKind.ADD_PRIMARY_KEY, "customers")])

    with pytest.raises(ApplyErrors) as caught:
        sync(catalog, customers("id"), orders(customers("id")))

    parent, child = caught.value.exceptions
    assert isinstance(parent, ApplyError)
    assert str(child) == (
        "dev.silver.orders: statement 3 of 3 failed: dev.silver.customers, which the foreign key references, was not"
        " aligned\n"
        "  done:\n"
        "    CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;\n"
        "    CREATE TABLE `dev`.`silver`.`orders` (\n"
        "      `id` BIGINT,\n"
        "      `customer_id` BIGINT\n"
        "    )\n"
        "    USING DELTA;\n"
        "  failed:\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__customer_id` FOREIGN KEY"
        " (`customer_id`) REFERENCES `dev`.`silver`.`customers` (`id`);\n"
        "  not run: nothing\n"
        "  to restore:  the table was new: DROP TABLE IF EXISTS `dev`.`silver`.`orders`\n"
        "  to continue: fix the cause and apply again; the next plan starts from what is done"
    )


def test_a_dropped_foreign_key_is_added_again_even_if_its_parent_fails(catalog):
    model = customers("id")
    sync(catalog, model, orders(model))
    catalog.fail = [(StatementKind.COMMENT_TABLE, "customers")]
    renamed = customers("id", comment="New")
    state = catalog.snapshot([model]).tables[PARENT]
    catalog._tables[PARENT] = replace(state, primary_key=KeyState("old", ("id",)))

    with pytest.raises(ApplyError, match="the disk is full"):
        sync(catalog, renamed)

    assert catalog.story[-1] == "orders: add foreign key"
    assert keys(catalog, orders()) == ["fk_dev_silver_orders__customer_id"]


def test_a_table_may_point_at_itself(catalog):
    model = table(
        column(is_nullable=False),
        column("boss"),
        name="dev.silver.staff",
        primary_key=["id"],
        foreign_keys=[ForeignKey(["boss"], "dev.silver.staff")],
    )
    bare = table(column(is_nullable=False), column("boss"), name="dev.silver.staff")
    sync(catalog, bare)
    catalog.insert(model.name, [{"id": 1}, {"id": 2, "boss": 1}])

    sync(catalog, model)

    assert catalog.ran == ["add primary key", "add foreign key"]
    catalog.insert(model.name, [{"id": 3, "boss": 9}])
    sync(catalog, bare)
    with pytest.raises(UnsafePlanError, match="such as boss = 9"):
        sync(catalog, model)


EXPRESSIONS = [
    ({"default": "1000 + 1"}, {"default": "1000 + 2"}),
    ({"generated_as": "id + 1003"}, {"generated_as": "id + 1004"}),
    ({"check": "amount > 1005"}, {"check": "amount > 1006"}),
    ({"check": "amount BETWEEN 1007 AND 1008"}, {"check": "amount >= 1007 and amount <= 1008"}),
    ({"check": "1009 < amount"}, None),
    ({"check": "amount >"}, None),
]
"""What a model declares, and what the catalog stores."""


def test_an_expression_is_parsed_once_whatever_asks_for_it(monkeypatch):
    """The rules, the comparison, the notes and the statements ask; a text that is no expression is parsed quoted, too."""
    parsed = []

    def counting(tokens, text):
        parsed.append(text)
        return parse_tokens(tokens, text)

    def declare(values):
        value = dict(values)
        checks = [Check("limit", value.pop("check"))] if "check" in value else []
        return table(column("id"), column("amount", LongType(), **value), checks=checks)

    monkeypatch.setattr("pytest_delta_schema.state.expressions.parsing.parse_tokens", counting)
    for declared, other in EXPRESSIONS:
        parsed.clear()
        parsing._tree.cache_clear()
        catalog = MemoryCatalog([] if other is None else [desired_state(declare(other))])
        model = declare(declared)

        Gate(catalog, [model]).drift(model)
        Gate(catalog, [model]).apply(model)

        assert {f"({text}" for values in (declared, other or {}) for text in values.values()} <= {*parsed}
        assert len(parsed) == len({*parsed}), declared
