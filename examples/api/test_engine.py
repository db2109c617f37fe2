"""The engine without pytest: planning, applying, rules, consents, catalogs and errors."""

import pytest

from models import orders
from pytest_delta_schema import (
    ApplyError,
    Column,
    DatabricksCatalog,
    DeltaSchemaError,
    DriftError,
    InvalidModelError,
    MemoryCatalog,
    Orchestrator,
    Settings,
    Table,
    UnityCatalog,
    UnsafePlanError,
    assert_no_drift,
    check_write,
    state_text,
    to_struct_type,
)
from pytest_delta_schema.backends.databricks import connect_databricks
from pytest_delta_schema.backends.unity import UnityClient
from pytest_delta_schema.diagnostics.errors import (
    ApplyErrors,
    CatalogReadError,
    ConvergenceError,
    Diagnostic,
    StatementError,
)
from pytest_delta_schema.execute import ActionRunner, Preflight
from pytest_delta_schema.plan import ColumnAdd
from pytest_delta_schema.report import model_source, plan_script
from pytest_delta_schema.rules import Consent, ModelRule, PlanRule, PlanValidator

WIDER = Table("dev", "silver", "orders", [*orders.columns, Column("note", "string")], checks=orders.checks)
SMALLER = Table("dev", "silver", "orders", orders.columns[:2], primary_key=["id"], checks=orders.checks)
NO_KEY = Table("dev", "silver", "orders", [Column("id", "bigint")], primary_key=["nr"])


@pytest.fixture
def catalog():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([orders])
    return catalog


def test_orchestrator():
    orchestrator = Orchestrator.over(MemoryCatalog())

    assert [action.table for action in orchestrator.plan_tables([orders]).actions] == [orders.name]
    orchestrator.sync_tables([orders])
    assert orchestrator.plan_tables([orders]).is_empty


def test_settings(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.pytest_delta_schema]\nmax_risk = "metadata"\n')

    assert Settings.from_project(tmp_path).max_risk == "metadata"


def test_consent(catalog):
    drop = Consent("drop-column", "dev.silver.orders.status")
    agreed = Settings(consents=(drop,), enable_features=("columnMapping",))

    Orchestrator.over(catalog, settings=agreed).sync_tables([SMALLER])

    assert_no_drift(SMALLER, catalog=catalog)


def test_preflight(catalog):
    at_first_row = Preflight("limit", samples=0)  # stops at the first row that breaks the plan
    runner = ActionRunner.over(catalog, preflight=at_first_row)

    Orchestrator(catalog, runner).sync_tables([orders])


def test_model_rule():
    class NoComment:
        def check(self, table):
            for column in table.columns:
                if not column.comment:
                    yield Diagnostic(code="SHOP1", table=str(table.name), path=column.name, message="has no comment")

    rule: ModelRule = NoComment()

    assert [fault.path for fault in rule.check(orders)] == ["amount", "status"]


def test_plan_rule(catalog):
    class NoNewColumn:
        def check(self, action):
            for change in getattr(action, "changes", ()):
                if isinstance(change, ColumnAdd):
                    yield Diagnostic(code="SHOP2", table=str(action.table), message="gets a column")

    rule: PlanRule = NoNewColumn()
    orchestrator = Orchestrator(catalog, ActionRunner.over(catalog), validator=PlanValidator(plan_rules=[rule]))

    with pytest.raises(UnsafePlanError, match="SHOP2"):
        orchestrator.sync_tables([WIDER])


def test_diagnostic():
    (finding,) = check_write(orders, to_struct_type(SMALLER).add("note", "string")).findings

    assert isinstance(finding, Diagnostic)
    assert (finding.rule, finding.path, finding.severity) == ("extra-column", "note", "error")


def test_plan_script():
    plan = Orchestrator.over(MemoryCatalog()).plan_tables([orders])

    assert plan_script(plan).startswith("-- dev.silver.orders: created, metadata\n")


def test_model_source(catalog):
    state = catalog.read_tables([orders.name]).tables[orders.name]

    assert 'Column("status", StringType())' in model_source(state)


def test_state_text(catalog):
    assert state_text(orders, catalog=catalog).startswith("CREATE TABLE `orders` (\n  `id` BIGINT NOT NULL")


def test_memory_catalog(catalog):
    (state,) = catalog.snapshot([orders]).tables.values()

    assert MemoryCatalog([state], rows={orders.name: [{"id": 1, "amount": 5}]}).rows(orders.name)[0]["id"] == 1


def test_unity_catalog():
    catalog = UnityCatalog(UnityClient("http://localhost:8080"), read_threads=4)

    assert str(catalog.client.uri) == "http://localhost:8080"


@pytest.mark.databricks
def test_databricks_catalog():
    catalog = DatabricksCatalog(connect_databricks("1234567890abcdef"))

    assert Orchestrator.over(catalog).plan_tables([orders]).is_empty


def test_delta_schema_error():
    with pytest.raises(DeltaSchemaError, match="gives no rows"):
        raise CatalogReadError([Diagnostic(table="dev.silver.orders", message="gives no rows")])


def test_invalid_model_error():
    with pytest.raises(InvalidModelError, match="nr is not a column of the model") as caught:
        Orchestrator.over(MemoryCatalog()).plan_tables([NO_KEY])

    assert {fault.code for fault in caught.value.diagnostics} == {"DS104"}


def test_unsafe_plan_error(catalog):
    with pytest.raises(UnsafePlanError, match="drop-column"):
        Orchestrator.over(catalog).sync_tables([SMALLER])


def test_drift_error():
    with pytest.raises(DriftError, match="created with 3 columns"):
        assert_no_drift(orders, catalog=MemoryCatalog())


class Unreliable(MemoryCatalog):
    """A catalog on which some statements fail, and others do nothing."""

    fails, ignores = frozenset(), frozenset()

    def run(self, statement):
        if statement.kind.value in self.fails:
            msg = "the disk is full"
            raise StatementError(msg, condition="DISK_FULL")
        if statement.kind.value not in self.ignores:
            super().run(statement)


@pytest.fixture
def unreliable(catalog):
    return Unreliable(catalog.snapshot([orders]).tables.values())


COMMENTED = Table("dev", "silver", "orders", orders.columns, comment="Orders", primary_key=["id"], checks=orders.checks)


def test_apply_error(unreliable):
    unreliable.fails = {"comment on table"}

    with pytest.raises(ApplyError, match="the disk is full") as caught:
        Orchestrator.over(unreliable).sync_tables([COMMENTED])

    assert caught.value.failed == "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders'"


def test_apply_errors(unreliable):
    unreliable.fails = {"comment on table", "create table"}
    items = Table("dev", "silver", "items", [Column("id", "bigint")])

    with pytest.raises(ApplyErrors) as caught:
        Orchestrator.over(unreliable).sync_tables([COMMENTED, items])

    assert [error.table for error in caught.value.exceptions] == ["dev.silver.items", "dev.silver.orders"]


def test_convergence_error(unreliable):
    unreliable.ignores = {"comment on table"}

    with pytest.raises(ConvergenceError, match="comment"):
        Orchestrator.over(unreliable).sync_tables([COMMENTED])


def test_catalog_read_error():
    with pytest.raises(CatalogReadError, match="is not in the catalog"):
        check_write("dev.silver.nothing", to_struct_type(orders), catalog=MemoryCatalog())
