"""Several tables are created at the same time in one session: all of them whole, and one that fails alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import ApplyError, Check, ForeignKey, Orchestrator
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies, Gate
from pytest_delta_schema.engine.outcomes import Status
from support.tables import column, table

pytestmark = pytest.mark.spark


def family(check="id > 0"):
    """A parent and nine children in two schemas, of which one has a check, with keys, defaults and comments."""
    parent = table(column(is_nullable=False), name="dev.silver.parent", primary_key=["id"])
    names = [f"dev.{'gold' if number % 3 else 'silver'}.child_{number}" for number in range(9)]
    children = [
        table(
            column(is_nullable=False, comment="${key}"),
            column("day"),
            name=name,
            comment=f"Child {name}",
            primary_key=["id"],
            foreign_keys=[ForeignKey(["id"], parent)],
        )
        for name in names
    ]
    children[4] = replace(children[4], checks=[Check("positive", check)])
    return [parent, *children]


@pytest.fixture
def catalog(local):
    yield local
    local.drop_schema("dev", "gold")


def test_a_table_that_fails_stops_no_other_one_and_the_settings_are_as_before(catalog):
    before = catalog.spark.conf.get("spark.sql.variable.substitute")
    line = Orchestrator.over(catalog)

    with pytest.raises(ApplyError) as caught:
        line.sync_tables(family(check="no_function(id) > 0"))

    assert caught.value.table == "dev.gold.child_4"
    assert "`no_function`" in str(caught.value)
    assert "  to restore:  the table does not exist, nothing is lost\n" in str(caught.value)
    left = line.plan_tables(family())
    assert [str(action.table) for action in left.create_tables] == ["dev.gold.child_4"]
    assert left.align_tables == ()
    assert catalog.spark.conf.get("spark.sql.variable.substitute") == before
    assert [statement.kind.value for statement in line.sync_tables(family()).statements] == [
        "create table",
        "add primary key",
        "add foreign key",
    ]


def test_each_apply_of_a_run_reports_its_own_table(catalog):
    parent, *children = family(check="no_function(id) > 0")
    grandchild = table(column(), name="dev.silver.grandchild", foreign_keys=[ForeignKey(["id"], children[4])])
    models = [parent, *children[:6], grandchild]
    created: list[str] = []
    gate = Gate(catalog, models)
    joint = BatchedApplies(gate, models, ApplyProgress(), lambda model, _: created.append(model.table_name))

    outcomes = {model.table_name: joint.apply(model) for model in models}

    failed, blocked = outcomes.pop("child_4"), outcomes.pop("grandchild")
    assert {outcome.status for outcome in outcomes.values()} == {Status.APPLIED}
    assert "`no_function`" in failed.failure
    assert [diagnostic.code for diagnostic in blocked.diagnostics] == ["DS209"]
    assert created == ["child_0", "child_1", "child_2", "child_3", "child_4", "child_5"]
    assert [statement.kind for statement in outcomes["child_5"].statements] == [
        "create table",
        "add primary key",
        "add foreign key",
    ]
    states = catalog.snapshot(models).tables
    assert sorted(name.table for name, seen in states.items() if not seen.exists) == ["child_4", "grandchild"]
