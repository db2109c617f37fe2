"""Plans, their rules and their SQL, without a JVM."""

import pytest
from changes import AMOUNT, ID, table

from models import orders
from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, Settings, UnsafePlanError
from pytest_delta_schema.models import Binding
from pytest_delta_schema.plan import (
    AlignTable,
    ColumnAdd,
    CreateTable,
    PropertyPolicy,
    Risk,
    SetTableComment,
    TablePlan,
    TablePlanner,
)
from pytest_delta_schema.rules import (
    DEFAULT_MODEL_RULES,
    DEFAULT_PLAN_RULES,
    Consent,
    PlanValidator,
    default_model_rules,
    default_plan_rules,
)
from pytest_delta_schema.sql import Statement, StatementKind, script, statements

WIDER = table(ID, AMOUNT, Column("note", "string"), comment="Orders")


@pytest.fixture
def catalog():
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([table(ID)])
    return catalog


def test_binding():
    binding = Binding(((("dev", "silver"), ("ci", "pr_42")),))

    assert str(binding.name(orders.name)) == "ci.pr_42.orders"
    assert binding.table(orders).columns == orders.columns


def test_table_planner(catalog):
    planner = TablePlanner(enable=["typeWidening"], policy=PropertyPolicy(keeps_record=True))

    plan = planner.plan([WIDER], catalog.snapshot([WIDER]))

    assert [action.table for action in plan.actions] == [orders.name]


def test_table_plan(catalog):
    plan = Orchestrator.over(catalog).plan_tables([WIDER])

    assert isinstance(plan, TablePlan)
    assert (len(plan.create_tables), len(plan.align_tables), plan.is_empty) == (0, 1, False)


def test_create_table():
    (action,) = Orchestrator.over(MemoryCatalog()).plan_tables([orders]).create_tables

    assert isinstance(action, CreateTable)
    assert [column.name for column in action.columns] == ["id", "amount", "status"]
    assert action.creates_schema
    assert action.primary_key.columns == ("id",)


def test_align_table(catalog):
    (action,) = Orchestrator.over(catalog).plan_tables([WIDER]).align_tables

    assert isinstance(action, AlignTable)
    assert [change.column.name for change in action.all(ColumnAdd)] == ["amount", "note"]
    assert action.one(SetTableComment).comment == "Orders"


def test_property_policy():
    policy = PropertyPolicy((("team.*", "report"), ("team.owner", "require")))

    assert [policy.mode(key) for key in ("team.cost", "team.owner", "other")] == ["report", "require", "manage"]


def test_risk():
    settings = Settings(max_risk=Risk.SCAN.label)

    assert settings.max_risk == "scan"
    assert Risk.METADATA < Risk.FEATURE < Risk.SCAN < Risk.REWRITE < Risk.DESTRUCTIVE


def test_plan_validator(catalog):
    rewritten = Orchestrator.over(catalog).plan_tables([table(ID, AMOUNT, partitioned_by=["id"])])

    with pytest.raises(UnsafePlanError, match="RewriteWithoutConsent"):
        PlanValidator().validate_plan(rewritten)

    agreed = default_plan_rules([Consent("rewrite", "dev.silver.orders")])
    PlanValidator(plan_rules=agreed).validate_plan(rewritten)


def test_default_model_rules():
    rules = default_model_rules(policy=PropertyPolicy((("team", "require"),)))

    (violation,) = PlanValidator(model_rules=rules).model_violations([orders])

    assert violation.message == "declares no property team, which the project requires of every table"
    assert PlanValidator(model_rules=DEFAULT_MODEL_RULES).model_violations([orders]) == ()


def test_default_plan_rules(catalog):
    plan = Orchestrator.over(catalog).plan_tables([WIDER])
    careful = default_plan_rules(protected=["dev.silver.*"])

    (violation,) = PlanValidator(plan_rules=careful).plan_violations(plan)

    assert violation.rule == "ProtectedTable"
    assert PlanValidator(plan_rules=DEFAULT_PLAN_RULES).plan_violations(plan) == ()


def test_statements(catalog):
    (action,) = Orchestrator.over(catalog).plan_tables([WIDER]).actions

    assert [statement.kind.value for statement in statements(action)] == ["add columns", "comment on table"]


def test_statement(catalog):
    (action,) = Orchestrator.over(catalog).plan_tables([table(ID, comment="Orders")]).actions

    (statement,) = statements(action)

    assert isinstance(statement, Statement)
    assert statement.sql == "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders'"
    assert statement.changes == (SetTableComment(comment="Orders"),)


def test_statement_kind(catalog):
    (action,) = Orchestrator.over(catalog).plan_tables([WIDER]).actions

    assert [statement.kind for statement in statements(action)] == [
        StatementKind.ADD_COLUMNS,
        StatementKind.COMMENT_TABLE,
    ]


def test_script(catalog):
    (action,) = Orchestrator.over(catalog).plan_tables([table(ID, comment="Orders")]).actions

    assert script(statements(action)) == "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders';"
