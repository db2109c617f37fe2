"""Tables that delta-rs wrote: Delta refuses exactly the plans that rules refuse."""

from __future__ import annotations

import pytest

from pytest_delta_schema import ApplyError, Column, ConvergenceError, Orchestrator, QualifiedName, Table
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state.desired import declared_table
from support.delta_logs.foreign_tables import CHANGES, SHAPES, write

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def models(spark_catalog, warehouse):
    """One table for each change, and its model."""
    spark_catalog.spark.sql("CREATE SCHEMA IF NOT EXISTS dev.silver")
    names = [QualifiedName("dev", "silver", f"foreign{number}") for number in range(len(CHANGES))]
    for name, change in zip(names, CHANGES, strict=True):
        write(table_folder(warehouse, name), change.shape)
    state = spark_catalog.snapshot([Table(*name, [Column("id", "bigint")]) for name in names])
    yield [declared_table(state.tables[name]) for name in names]
    spark_catalog.drop_schema("dev", "silver")


def test_what_exists_is_in_sync(spark_catalog, models):
    line = Orchestrator.over(spark_catalog)

    assert {change.shape for change in CHANGES} == set(SHAPES)
    assert line.sync_tables(models).plan.is_empty


@pytest.mark.parametrize("number", range(len(CHANGES)), ids=[f"{change.shape}-{change.name}" for change in CHANGES])
def test_delta_refuses_what_rules_refuse(spark_catalog, models, number):
    change, line = CHANGES[number], Orchestrator.over(spark_catalog)
    model = change.edit(models[number])
    faults = line.validator.plan_violations(line.plan_tables([model]))
    assert tuple(fault.code for fault in faults) == change.codes

    line.validator = PlanValidator(model_rules=(), plan_rules=())

    if change.codes:
        with pytest.raises((ApplyError, ConvergenceError), match=r"DELTA_|still differs"):
            line.sync_tables([model])
    else:
        assert line.sync_tables([model]).statements
        assert line.plan_tables([model]).is_empty
