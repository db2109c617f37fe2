"""The states that a gate has, for reports that show them."""

from __future__ import annotations

from pytest_delta_schema import Diagnostic, ForeignKey, MemoryCatalog, QualifiedName, Settings
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.state import CatalogState, ColumnState
from support.tables import NAME, column, state, stored, table


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
