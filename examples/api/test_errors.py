"""Further errors, each by the code that raises it, without a JVM."""

from contextlib import suppress

import pytest
from changes import ID, table

from models import orders
from pytest_delta_schema import (
    Column,
    InvalidModelError,
    MemoryCatalog,
    Orchestrator,
    Settings,
    Table,
    assert_accepts,
    assert_table_equals,
    to_struct_type,
)
from pytest_delta_schema.backends import find_backend
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    CatalogReadError,
    ConfigurationError,
    DataContractError,
    DdlError,
    DeclarationError,
    Diagnostic,
    DiagnosticsError,
    JsonFormError,
    Location,
    RowsDifferError,
    StatementError,
    UnfinishedCreationError,
    UnprovedApplyError,
    WriteError,
    WrongArgumentsError,
)
from pytest_delta_schema.exchange import from_ddl, from_odcs
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import state_from_json


@pytest.fixture
def catalog():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([orders])
    return catalog


def test_declaration_error():
    with pytest.raises(DeclarationError, match="there is no type integre; did you mean integer"):
        Column("id", "integre")


def test_wrong_arguments_error():
    with pytest.raises(WrongArgumentsError, match="write comment instead of comments"):
        Table("dev", "silver", "orders", [ID], comments="Orders")


def test_configuration_error(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.pytest_delta_schema]\nmax_risks = "scan"\n')

    with pytest.raises(ConfigurationError, match="there is no setting max_risks; did you mean max_risk"):
        Settings.from_project(tmp_path)


def test_backend_unavailable_error():
    with pytest.raises(BackendUnavailableError, match="did you mean 'local'"):
        find_backend("lokal")


def test_json_form_error():
    with pytest.raises(JsonFormError, match='has no version; write "version": 1'):
        state_from_json({"name": "dev.silver.orders"})


def test_ddl_error():
    with pytest.raises(DdlError) as caught:
        from_ddl("CREATE TABLE dev.silver.orders (id BIGIN);\nINSERT INTO dev.silver.orders VALUES (1)")

    assert [fault.table for fault in caught.value.diagnostics] == ["statement 1, line 1", "statement 2, line 2"]
    assert "there is no type bigin; did you mean bigint?" in str(caught.value)


def test_data_contract_error(tmp_path):
    path = tmp_path / "shop.odcs.yaml"
    path.write_text("apiVersion: v3.1.0\nkind: DataContract\nid: &shop shop\n")

    with pytest.raises(DataContractError) as caught:
        from_odcs(path)

    assert str(caught.value) == f"{path}:3: has the anchor or alias shop; write the value where it is needed"


def test_diagnostics_error():
    keyless = table(ID, primary_key=["number", "region"])

    with pytest.raises(DiagnosticsError) as caught:  # the base of InvalidModelError, UnsafePlanError and others
        PlanValidator().validate_models([keyless])

    assert isinstance(caught.value, InvalidModelError)
    assert {fault.path for fault in caught.value.diagnostics} == {"primary_key"}


def test_location():
    (violation,) = PlanValidator().model_violations([table(ID, primary_key=["number"])])

    assert isinstance(violation.location, Location)
    assert str(violation.location).endswith("changes.py:12")


def test_statement_error(catalog):
    with pytest.raises(StatementError, match="CHECK constraint positive"):
        catalog.insert(orders.name, [{"id": 1, "amount": -5}])


def test_rows_differ_error(catalog):
    with pytest.raises(RowsDifferError, match="1 row expected, 0 in the table"):
        assert_table_equals(orders, [{"id": 1, "amount": 5}], ignore=["status"], catalog=catalog)


def test_write_error():
    with pytest.raises(WriteError, match="the write is refused"):
        assert_accepts(table(ID), to_struct_type(orders))


def test_unproved_apply_error():
    class Unreadable(MemoryCatalog):
        """A catalog that is gone after the creation."""

        def snapshot(self, models):
            if self.version(orders.name) == 0:
                raise CatalogReadError([Diagnostic(table=str(orders.name), message="the server is gone")])
            return super().snapshot(models)

    with pytest.raises(UnprovedApplyError, match=r"could not be read back: .* the server is gone"):
        Orchestrator.over(Unreadable()).sync_tables([table(*orders.columns)])


def test_unfinished_creation_error():
    orchestrator = Orchestrator.over(MemoryCatalog())

    with suppress(UnfinishedCreationError):  # another apply creates the table, and needs more than a minute
        orchestrator.sync_tables([orders])

    assert orchestrator.plan_tables([orders]).is_empty  # else run it again
