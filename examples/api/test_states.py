"""States: what a catalog holds, as values that compare equal when the tables are equal."""

import pytest
from changes import AMOUNT, ID, table

from models import orders
from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    Identity,
    MemoryCatalog,
    Orchestrator,
    Parquet,
    QualifiedName,
    Table,
)
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.plan import ConvertTable, TablePlanner
from pytest_delta_schema.state import (
    ArrayState,
    CatalogReader,
    CatalogState,
    CheckState,
    ColumnGeneration,
    ColumnPath,
    ColumnState,
    ForeignKeyState,
    IdentityState,
    IntroducedBy,
    KeyState,
    MapState,
    RenameState,
    SourceState,
    StructState,
    TableState,
    state_from_json,
    state_json,
)

FILES = SourceState("parquet", "/data/orders", is_registered=True, folders=((),), files=3)


def stored(model, *others):
    """Return the state of a table that has just been created."""
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([model, *others])
    return catalog.read_tables([model.name]).tables[model.name]


def type_of(text):
    """Return a type in the form in which states have it."""
    return stored(table(Column("c", text))).columns[0].data_type


def test_table_state():
    state = stored(orders)

    assert isinstance(state, TableState)
    assert [column.name for column in state.columns] == ["id", "amount", "status"]
    assert state == stored(orders)
    assert state != stored(table(ID))


def test_column_state():
    column = stored(orders).columns[0]

    assert column == ColumnState("id", "bigint", is_nullable=False, comment="Order ID")


def test_struct_state():
    assert type_of("struct<zip: string>") == StructState((ColumnState("zip", "string", is_nullable=True, comment=""),))


def test_array_state():
    assert type_of("array<int>") == ArrayState("int", contains_null=True)


def test_map_state():
    assert type_of("map<string, int>") == MapState("string", "int", value_contains_null=True)


def test_column_path():
    path = ColumnPath.parse("address.`zip code`")

    assert (path.root, path.parent.text, path.name) == ("address", "address", "zip code")
    assert path == ColumnPath("Address", "Zip Code")


def test_column_generation():
    column = stored(table(ID, Column("next", "bigint", generated_as="id + 1"))).columns[1]

    assert column.value == ColumnGeneration(generated="id + 1")


def test_identity_state():
    column = stored(table(Column("id", "bigint", identity=Identity(100, 10)))).columns[0]

    assert column.value.identity == IdentityState(start=100, step=10, is_always=True)


def test_check_state():
    state = stored(table(AMOUNT, checks=[Check("Positive", "amount > 0")]))

    assert state.checks == (CheckState("positive", "amount > 0"),)


def test_key_state():
    state = stored(orders)

    assert state.primary_key == KeyState("pk_dev_silver_orders__id", ("id",))
    assert state.keys == (state.primary_key,)


def test_foreign_key_state():
    of_order = ForeignKey(["order_id"], orders, name="of_order")
    items = Table("dev", "silver", "items", [Column("order_id", "bigint")], foreign_keys=[of_order])

    (key,) = stored(items, orders).foreign_keys

    assert key == ForeignKeyState("of_order", ("order_id",), orders.name, ("id",))


def test_rename_state():
    catalog = MemoryCatalog([stored(table(ID, AMOUNT))])
    renamed = table(ID, Column("total", "decimal(10,2)", renamed_from="amount"))

    (action,) = Orchestrator.over(catalog).plan_tables([renamed]).align_tables

    assert action.desired.renames == (RenameState(ColumnPath("total"), "amount"),)


def test_source_state():
    files = SourceState("parquet", "/data/orders", is_registered=True, folders=((),), files=3)
    catalog = MemoryCatalog([TableState(name=orders.name, source=files)])

    with pytest.raises(CatalogReadError, match="parquet"):
        Orchestrator.over(catalog).plan_tables([orders])


def test_convert_table():
    files = TableState(name=orders.name, columns=stored(table(ID)).columns, source=FILES)
    model = table(ID, convert_from=Parquet())

    (action,) = Orchestrator.over(MemoryCatalog([files])).plan_tables([model]).align_tables

    assert action.changes == (ConvertTable(source=FILES),)


def test_catalog_state():
    nowhere = QualifiedName("dev", "silver", "nowhere")

    state = MemoryCatalog([stored(orders)]).read_tables([orders.name, nowhere])

    assert isinstance(state, CatalogState)
    assert [read.exists for read in state.tables.values()] == [False, True]
    assert state.existing(orders.name).version == 1


def test_catalog_reader():
    reader: CatalogReader = MemoryCatalog([stored(orders)])

    plan = TablePlanner().plan([orders], reader.snapshot([orders]))

    assert plan.is_empty


def test_introduced_by():
    class WithHistory(MemoryCatalog):
        def introduced_by(self, _, paths):
            return [IntroducedBy(path=path, version=3, operation="WRITE", time="2026-11-21 03:00:00") for path in paths]

    model = table(ID)
    outcome = Gate(WithHistory([stored(table(ID, AMOUNT))]), [model]).drift(model)

    (note,) = outcome.background
    assert note.message.startswith("column amount was appended by a writer, in version 3, WRITE of 2026-11-21")


def test_state_json():
    state = stored(orders)

    values = state_json(state)

    assert values["columns"][0] == {"name": "id", "type": "bigint", "is_nullable": False, "comment": "Order ID"}
    assert state_from_json(values) == state
