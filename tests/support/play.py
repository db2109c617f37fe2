"""Play one scenario on one catalog."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema import (
    ActionRunner,
    ArrayState,
    Catalog,
    CheckState,
    InvalidModelError,
    MapState,
    MemoryCatalog,
    Orchestrator,
    PlanValidator,
    SetTableProperties,
    SourceState,
    StructState,
    TablePlanner,
    TableState,
    UnsafePlanError,
    ValueState,
    default_model_rules,
    default_plan_rules,
    script,
    statements,
    to_struct_type,
)
from pytest_delta_schema.catalogs.spark.physical import physical_schema
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql.properties import set_properties
from pytest_delta_schema.sql.quoting import dotted, identifier, literal
from pytest_delta_schema.sql.types import type_sql
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import canonical, simplified
from pytest_delta_schema.state.walks import not_null_paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema import QualifiedName, Statement, Table, TablePlan
    from support.scenarios import Scenario

_PLATFORM = ("delta.feature.", "delta.min", "delta.columnMapping.maxColumnId")


def play(scenario: Scenario, catalog: Catalog) -> TableState:
    """Set the stage, compare the plan, run it, compare the end; return the visible end state."""
    name, models = scenario.after.name, [scenario.after]
    runner, planner = ActionRunner.over(catalog), TablePlanner(policy=scenario.policy)
    known = [other for other, _ in scenario.others]
    set_the_stage(scenario, catalog)
    observed = catalog.snapshot(models).tables[name]
    before, there = visible(observed), rows_in(catalog, observed) if scenario.rows else []
    version = catalog.version(name)

    plan = planner.plan(models, catalog.snapshot([*models, *known]))

    assert "\n".join(str(line) for action in plan.actions for line in change_lines(action)) == scenario.plan.strip()
    assert script(said for action in plan.actions for said in statements(action)) == scenario.sql.strip()
    assert _matched(plan) == scenario.matched.strip()

    agreed = default_plan_rules(map(parse_consent, scenario.consents))
    validator = PlanValidator(default_model_rules(scenario.policy), agreed)
    orchestrator = Orchestrator(catalog, runner, planner, validator)
    if scenario.refused:
        with pytest.raises((UnsafePlanError, InvalidModelError)) as caught:
            orchestrator.sync_tables(models, known=known)
        assert tuple(violation.code for violation in caught.value.violations) == scenario.refused
        assert visible(catalog.snapshot(models).tables[name]) == before
        assert catalog.version(name) == version
        assert not there or rows_in(catalog, observed) == there
    else:
        orchestrator.sync_tables(models)
        reached = catalog.version(name)
        end = catalog.snapshot(models).tables[name]
        assert scenario.commits is None or reached - (-1 if version is None else version) == scenario.commits
        if scenario.left is not None:
            assert _rows(catalog, end) == [dict(row) for row in scenario.left]
        elif there:
            assert _rows(catalog, end) == [_kept(row, end) for row in there]
        assert scenario.matched or _constraints(end) == _constraints(desired_state(scenario.after))
        after = orchestrator.plan_tables(models)
        assert after.is_empty
        assert _matched(after) == scenario.matched.strip()
        assert orchestrator.sync_tables(models).statements == ()
    return visible(catalog.snapshot(models).tables[name])


def set_the_stage(scenario: Scenario, catalog: Catalog) -> None:
    """Make the tables as they were, and put the rows into them."""
    first = [] if scenario.before is None else [scenario.before]
    line = Orchestrator(catalog, ActionRunner.over(catalog), TablePlanner(policy=scenario.policy))
    line.sync_tables([*first, *(other for other, _ in scenario.others)])
    if scenario.parquet is not None:
        make_parquet(catalog, scenario.parquet, scenario.rows)
    for other, rows in (*scenario.others, *([(scenario.after, scenario.rows)] if scenario.parquet is None else [])):
        if rows:
            catalog.insert(other.name, rows)  # type: ignore[attr-defined]  # every catalog of these tests can
    if scenario.theirs:
        (said,) = set_properties(scenario.after.name, [SetTableProperties(properties=scenario.theirs)])
        catalog.run(said)


def make_parquet(catalog: Any, model: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Make a parquet table of a model's columns and partitions, under the model's name."""
    state = desired_state(model)
    if isinstance(catalog, MemoryCatalog):
        rows = list(rows)
        source = SourceState(
            "parquet", "/parquet", is_registered=True, folders=tuple(_folders(model, rows)), files=len(rows)
        )
        catalog._tables[state.name] = replace(state, source=source, version=None)
        catalog._schemas.add(state.name[:2])
        catalog._rows[state.name] = [{key.lower(): value for key, value in row.items()} for row in rows]
        return
    name = parquet_name(state.name)
    catalog.create_schema(state.name.catalog, state.name.schema)
    columns = ", ".join(
        f"{identifier(c.name)} {type_sql(c.data_type)}{'' if c.is_nullable else ' NOT NULL'}{f' COMMENT {literal(c.comment)}' if c.comment else ''}"
        for c in state.columns
    )
    parted = f" PARTITIONED BY ({', '.join(map(identifier, state.partitioning))})" if state.partitioning else ""
    catalog.spark.sql(f"CREATE TABLE {name} ({columns}) USING PARQUET{parted}")
    for row in rows:
        values = [tuple(row.get(column.name) for column in model.columns)]
        catalog.spark.createDataFrame(values, to_struct_type(model)).write.mode("append").insertInto(name)


def parquet_name(name: QualifiedName) -> str:
    """Return the name under which Spark finds a table of the local catalog that is not Delta."""
    return f"spark_catalog.{physical_schema(name.catalog, name.schema)}.{name.table}"


def _folders(model: Table, rows: Iterable[dict[str, Any]]) -> list[tuple[str, ...]]:
    return sorted({tuple(f"{name}={row[name]}" for name in model.partitioned_by) for row in rows})


def planned(scenario: Scenario) -> list[Statement]:
    """Return the statements of a scenario, as the memory catalog would run them."""
    catalog = MemoryCatalog()
    set_the_stage(scenario, catalog)
    models = [scenario.after, *(other for other, _ in scenario.others)]
    plan = TablePlanner(policy=scenario.policy).plan([scenario.after], catalog.snapshot(models))
    return [statement for action in plan.actions for statement in statements(action)]


def _matched(plan: TablePlan) -> str:
    return "\n".join(str(line) for action in plan.mismatches for line in change_lines(action))


def _kept(row: dict[str, Any], state: TableState) -> dict[str, Any]:
    """Return a row as it is after columns came and went."""
    values = {name.lower(): value for name, value in row.items()}
    return {column.name: values.get(column.name.lower()) for column in state.columns}


def visible(state: TableState) -> TableState:
    """Leave out what platforms write by themselves, so that the end states of backends can be compared."""
    properties = {
        key.lower() if key.lower().startswith("delta.") else key: value
        for key, value in state.table_properties.items()
        if not key.startswith(_PLATFORM)
    }
    return TableState(
        name=state.name,
        exists=state.exists,
        schema_exists=state.schema_exists,
        columns=tuple(column._replace(value=_value(column.value)) for column in state.columns),
        table_comment=state.table_comment,
        table_properties=properties,
        owned_properties=state.owned_properties,
        primary_key=state.primary_key,
        checks=tuple(CheckState(check.name, canonical(check.expression)) for check in state.checks),
        foreign_keys=state.foreign_keys,
        partitioning=state.partitioning,
        clustering=state.clustering,
    )


def _value(value: ValueState | None) -> ValueState | None:
    if value is None:
        return None
    default, generated = (None if text is None else canonical(text) for text in value[:2])
    return value._replace(default=default, generated=generated)


def rows_in(catalog: Any, state: TableState) -> list[dict[str, Any]]:
    """Read all rows, also those of a parquet table that is not converted yet."""
    name = parquet_name(state.name) if state.source is not None else dotted(state.name)
    return _rows(catalog, state, name)


def _rows(catalog: Any, state: TableState, name: str = "") -> list[dict[str, Any]]:
    """Read all rows, by column and by field, whatever holds them; decimals as numbers."""
    if not state.exists:
        return []
    columns = StructState(state.columns)
    if isinstance(catalog, MemoryCatalog):
        found = [_shaped(row, columns, fold=True) for row in catalog._rows.get(state.name, [])]
    else:
        found = [
            _shaped(row.asDict(recursive=True), columns)
            for row in catalog.spark.table(name or dotted(state.name)).collect()
        ]
    return sorted(found, key=lambda row: str(next(iter(row.values()))))


def _shaped(value: Any, data_type: Any, *, fold: bool = False) -> Any:
    if value is None:
        return None
    match data_type:
        case StructState():
            return {
                field.name: _shaped(value.get(field.name.lower() if fold else field.name), field.data_type)
                for field in data_type.fields
            }
        case ArrayState():
            return [_shaped(each, data_type.element) for each in value]
        case MapState():
            return {key: _shaped(each, data_type.value) for key, each in value.items()}
    return float(value) if isinstance(value, Decimal) else value


def _constraints(state: TableState) -> tuple[object, ...]:
    """Everything that holds rows back, without the spelling of names and the form of expressions."""
    return (
        {tuple(name.lower() for name in path) for path in not_null_paths(state.columns)},
        {check.name.lower(): simplified(check.expression) for check in state.checks},
        state.primary_key,
        state.foreign_keys,
    )
