"""Every aspect of a table is known wherever all aspects have to be; a failure names the file that lacks it."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.types import IntegerType, LongType

from pytest_delta_schema import Check, Column, ForeignKey, MemoryCatalog, Orchestrator, Table, Unique, state_text
from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.engine.adoption import accepted_drift, imported_model
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.planner import mode_of
from pytest_delta_schema.report.schema_rows import schema_rows
from pytest_delta_schema.state import state_json
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.delta.names import Aspect

ID = Column("id", IntegerType(), is_nullable=False)
NOTE = Column("note", IntegerType())
PARENT = Table("dev", "silver", "customers", [ID], primary_key=["id"])


def orders(*columns: Column, **options: object) -> Table:
    return Table("dev", "silver", "orders", columns or [ID, NOTE], **options)


BARE = orders()
EXAMPLES: Mapping[Aspect, Table] = MappingProxyType({
    "columns": orders(ID, NOTE, Column("new", LongType())),
    "types": orders(ID, Column("note", LongType()), table_properties={"delta.enableTypeWidening": "true"}),
    "defaults": orders(
        ID, Column("note", IntegerType(), default=1), table_properties={"delta.feature.allowColumnDefaults": "supported"},
    ),
    "primary_keys": orders(primary_key=["id"]),
    "unique": orders(unique=[Unique(["note"])]),
    "foreign_keys": orders(foreign_keys=[ForeignKey(["id"], PARENT)]),
    "checks": orders(checks=[Check("positive", "id > 0")]),
    "comments": orders(comment="All orders"),
    "properties": orders(table_properties={"team": "core"}),
    "layout": orders(clustered_by=["id"]),
    "tags": orders(tags={"team": "core"}),
})  # fmt: skip
"""For each aspect a table that differs in it from the bare one, and in no other but in properties that it needs."""


def applied(model: Table) -> MemoryCatalog:
    """Return a catalog in which a table was created bare, and aligned with its model."""
    catalog = MemoryCatalog()
    for declared in (BARE, model):
        Orchestrator.over(catalog).sync_tables([PARENT, declared])
    return catalog


def test_every_aspect_has_an_example():
    assert tuple(EXAMPLES) == ASPECTS, "delta/names.py names other aspects than tests/package/test_aspects.py"


@pytest.mark.parametrize("aspect", EXAMPLES)
def test_a_difference_is_planned_and_belongs_to_the_aspect(aspect: Aspect):
    wanted, stored = desired_state(EXAMPLES[aspect]), desired_state(BARE)
    catalog = MemoryCatalog().snapshot([BARE])

    plan = TablePlanner().plan_states([wanted], replace(catalog, tables={wanted.name: stored}))

    changes = [change for action in plan.align_tables for change in action.changes]
    aspects = {change.aspect for change in changes}
    assert aspect in aspects, f"plan/comparison.py does not compare {aspect}"
    assert aspects <= {aspect, "properties"}
    assert {mode_of(change, replace(wanted, ownership={aspect: "report"})) for change in changes} <= {
        "report",
        "manage",
    }


@pytest.mark.parametrize("aspect", EXAMPLES)
def test_its_drift_can_be_accepted_and_a_model_that_ignores_it_declares_none(aspect: Aspect):
    stored = applied(EXAMPLES[aspect]).snapshot([BARE])
    (action,) = TablePlanner().plan([BARE], stored).align_tables or (None,)
    others = [other for other in ASPECTS if other != aspect]

    if action is None:
        assert aspect in {"properties", "tags"}  # undeclared ones are not compared
    else:
        drift = accepted_drift(BARE, stored.tables[BARE.name], action.changes, Settings())
        assert TablePlanner().plan([drift.table], stored).is_empty
    partial = imported_model(stored.tables[BARE.name], Settings(), others).table
    assert desired_state(partial) == desired_state(BARE) or aspect in {"columns", "types"}
    assert TablePlanner().plan([partial], stored).is_empty


@pytest.mark.parametrize("aspect", EXAMPLES)
def test_reports_and_texts_show_it(aspect: Aspect):
    with_it, without = (state_json(desired_state(model)) for model in (EXAMPLES[aspect], BARE))
    catalog = applied(EXAMPLES[aspect])

    assert schema_rows(with_it, None, []) != schema_rows(without, None, []), f"report/schema_rows.py hides {aspect}"
    assert state_text(EXAMPLES[aspect], catalog=catalog) != state_text(BARE, catalog=applied(BARE))
