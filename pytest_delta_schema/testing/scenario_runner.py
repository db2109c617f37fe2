"""Run one scenario on one catalog, and compare its rows, its commits and its final state with the expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import ndiff
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.delta.names import NameMap, folded
from pytest_delta_schema.delta.properties import is_written_by_platform
from pytest_delta_schema.delta.protocol import ONE_WAY
from pytest_delta_schema.diagnostics.errors import InvalidModelError, UnsafePlanError
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.execute.runner import ActionRunner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.changes import SetTableProperties
from pytest_delta_schema.plan.kinds import ABSENT
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.rules.validator import PlanValidator, default_model_rules, default_plan_rules
from pytest_delta_schema.sql.compiler import rendered, statements, statements_per_column
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.expressions import canonical, simplified
from pytest_delta_schema.state.states import CheckState, TableState
from pytest_delta_schema.state.types import not_null_paths
from pytest_delta_schema.testing.data_access import MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.execute.protocols import Capabilities, Refusal, ScratchCatalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable, TablePlan
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import ForeignKeyState
    from pytest_delta_schema.state.types import ColumnGeneration
    from pytest_delta_schema.testing.data_access import DataAccess
    from pytest_delta_schema.testing.scenario import Scenario


def run_scenario(
    scenario: Scenario,
    catalog: ScratchCatalog,
    data_access: DataAccess,
    review: Callable[[Scenario, TablePlan], None] | None = None,
) -> TableState:
    """Create the initial tables, run the plan of a scenario, and compare what it left with what is expected.

    Args:
        scenario: The scenario.
        catalog: An empty catalog.
        data_access: Reads rows and creates parquet tables in it.
        review: Called with the plan before it runs.

    Returns:
        The state at the end, in the form of :func:`comparable`.
    """
    name, models = scenario.after.name, [scenario.after]
    runner, reviewed = ActionRunner.over(catalog), TablePlanner(policy=scenario.property_policy)
    planner = reviewed.over(checks_follow=catalog.capabilities.checks_follow)
    known = [other for other, _ in scenario.other_tables]
    create_initial_tables(scenario, catalog, data_access)
    initial = catalog.snapshot([*models, *known])
    observed = initial.tables[name]
    before, version = comparable(observed), catalog.version(name)

    plan = reviewed.plan(models, initial)
    if review is not None:
        review(scenario, plan)
    sql_statements = statements_of(planner.plan(models, initial))
    agreed = default_plan_rules(map(parse_consent, scenario.consents))
    validator = PlanValidator(model_rules=default_model_rules(policy=scenario.property_policy), plan_rules=agreed)
    orchestrator = Orchestrator(catalog, runner, planner=planner, validator=validator)
    refused = _refused(scenario, sql_statements, catalog.capabilities)
    if refused:
        with pytest.raises((UnsafePlanError, InvalidModelError)) as caught:
            orchestrator.sync_tables(models, other_models=known)
        require_same("the refusal", tuple(violation.code for violation in caught.value.diagnostics), refused)
        end = catalog.snapshot(models).tables[name]
        require_same("the table that is not changed", comparable(end), before)
        require_same("its version", catalog.version(name), version)
        if not isinstance(version, int):  # a version of a Delta table always has the same rows
            _require_rows(scenario, catalog, end, data_access)
    else:
        orchestrator.sync_tables(models)
        reached = catalog.version(name)
        there_now = catalog.snapshot(models)
        end = there_now.tables[name]
        if data_access.counts_commits and scenario.counts_commits:
            first = version if isinstance(version, int) else -1
            expected = first + commits_of(sql_statements, name, catalog.capabilities)
            require_same("the version after its commits", reached, expected)
        _require_rows(scenario, catalog, end, data_access)
        if not plan.mismatches:
            require_same("the constraints", _constraints(end), _constraints(desired_state(scenario.after)))
        after = planner.plan(models, there_now)
        require_same("the plan after the apply", lines_of(after.actions), "")
        assert after.is_empty
        require_same("what is reported after the apply", lines_of(after.mismatches), lines_of(plan.mismatches))
        require_same("what a second apply runs", orchestrator.sync_tables(models).statements, ())
    return comparable(end)


def lines_of(actions: Iterable[CreateTable | AlignTable]) -> str:
    """Return the change lines of actions."""
    return "\n".join(str(line) for action in actions for line in change_lines(action))


def statements_of(plan: TablePlan) -> list[Statement]:
    """Return the statements of a plan."""
    return [statement for action in plan.actions for statement in statements(action)]


def require_same(subject: str, actual: object, expected: object) -> None:
    """Raise an ``AssertionError`` that says in what two values differ, also where pytest does not rewrite asserts."""
    if actual != expected:
        msg = f"{subject}: {'; '.join(_differing(actual, expected))}"
        raise AssertionError(msg)


def _differing(actual: object, expected: object) -> Iterator[str]:
    if isinstance(actual, TableState) and isinstance(expected, TableState):
        for field in fields(TableState):
            before, after = getattr(actual, field.name), getattr(expected, field.name)
            if before != after:
                yield from (f"{field.name}: {line}" for line in _differing(before, after))
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        for key in sorted({*actual, *expected}, key=str):
            before, after = actual.get(key, ABSENT), expected.get(key, ABSENT)
            if before != after:
                yield f"{key}: {' '.join(_differing(before, after))}"
    elif isinstance(actual, str) and isinstance(expected, str) and "\n" in actual + expected:
        lines = (line for line in ndiff(expected.splitlines(), actual.splitlines()) if line[0] in "+-")
        yield ", ".join(lines)
    else:
        yield f"{actual!r} instead of {expected!r}"


def create_initial_tables(scenario: Scenario, catalog: ScratchCatalog, data_access: DataAccess) -> None:
    """Create the tables of a scenario as they are before the apply, with their rows."""
    first = [] if scenario.before is None else [scenario.before]
    policy, follow = scenario.property_policy, catalog.capabilities.checks_follow
    planner = TablePlanner(policy=policy, checks_follow=follow)
    line = Orchestrator(catalog, ActionRunner.over(catalog), planner=planner)
    line.sync_tables([*first, *(other for other, _ in scenario.other_tables)])
    if scenario.parquet is not None:
        data_access.make_parquet(catalog, scenario.parquet, scenario.rows)
    for other, rows in (
        *scenario.other_tables,
        *([(scenario.after, scenario.rows)] if scenario.parquet is None else []),
    ):
        if rows:
            catalog.insert(other.name, rows)
    if scenario.external_properties:
        (statement,) = rendered(scenario.after.name, SetTableProperties(properties=scenario.external_properties))
        catalog.run(statement)


def planned(scenario: Scenario, catalog: MemoryCatalog | None = None) -> TablePlan:
    """Return the plan of a scenario on the memory catalog."""
    catalog = catalog or MemoryCatalog()
    create_initial_tables(scenario, catalog, MEMORY)
    models = [scenario.after, *(other for other, _ in scenario.other_tables)]
    return TablePlanner(policy=scenario.property_policy).plan([scenario.after], catalog.snapshot(models))


def planned_statements(scenario: Scenario, catalog: MemoryCatalog | None = None) -> list[Statement]:
    """Return the statements of a scenario, planned on the memory catalog."""
    return statements_of(planned(scenario, catalog))


def unsupported_statements(scenario: Scenario, capabilities: Capabilities) -> list[Statement]:
    """Return the statements of a scenario that a backend refuses."""
    return [statement for statement in planned_statements(scenario) if capabilities.refuses(statement) is not None]


def initial_refusal(scenario: Scenario, capabilities: Capabilities) -> Refusal | None:
    """Return why a backend cannot create the tables that a scenario begins with, or ``None``."""
    models = [*([] if scenario.before is None else [scenario.before]), *(other for other, _ in scenario.other_tables)]
    plan = TablePlanner(policy=scenario.property_policy).plan(models, MemoryCatalog().snapshot(models))
    refusals = (capabilities.refuses(statement) for action in plan.actions for statement in statements(action))
    return next((refusal for refusal in refusals if refusal is not None), None)


def commits_of(sql_statements: Iterable[Statement], table: QualifiedName, capabilities: Capabilities) -> int:
    """Count the commits that statements make to a table: one each, or one a column where a backend splits them."""
    own = [item for item in sql_statements if item.table == table and item.kind is not StatementKind.CREATE_SCHEMA]
    return sum(len(statements_per_column(item)) if item.kind in capabilities.splits else 1 for item in own)


def _refused(scenario: Scenario, sql_statements: list[Statement], capabilities: Capabilities) -> tuple[str, ...]:
    """Return the codes of the expected refusal; unsupported statements are refused before data checks run."""
    unable = ("DS218",) * sum(capabilities.refuses(statement) is not None for statement in sql_statements)
    return scenario.refused_by if scenario.is_refused_by_rules or not unable else unable


def _require_rows(scenario: Scenario, catalog: ScratchCatalog, state: TableState, data_access: DataAccess) -> None:
    """Compare rows with the expected ones: if none are given, those of before in the columns that are there now."""
    if scenario.rows_after is not None:
        expected = [dict(row) for row in scenario.rows_after]
    elif scenario.rows:
        kept = [NameMap(row.items()) for row in scenario.rows]
        expected = [{column.name: row.get(column.name) for column in state.columns} for row in kept]
    else:
        return
    stored = data_access.read_rows(catalog, state)
    require_same("the rows", sorted(stored, key=lambda row: str(next(iter(row.values())))), expected)


def comparable(state: TableState) -> TableState:
    """Return a state without what platforms write by themselves, so the states of backends can be compared."""
    properties: dict[str, Any] = {
        folded(key) if folded(key).startswith("delta.") else key: value
        for key, value in state.table_properties.items()
        if not is_written_by_platform(key) and not folded(key).startswith(ONE_WAY)
    }
    return replace(
        state,
        columns=tuple(column._replace(value=_value(column.value)) for column in state.columns),
        table_properties=properties,
        checks=tuple(CheckState(check.name, canonical(check.expression)) for check in state.checks),
        foreign_keys=_foreign_keys(state),
        source=None,  # a refused conversion leaves the files, wherever each backend has them
    )


def _value(value: ColumnGeneration | None) -> ColumnGeneration | None:
    if value is None:
        return None
    default, generated = (None if text is None else canonical(text) for text in value[:2])
    return value._replace(default=default, generated=generated)


def _constraints(state: TableState) -> tuple[object, ...]:
    """Return the constraints of a table, without the case of names and the form of expressions."""
    return (
        set(not_null_paths(state.columns)),
        {folded(check.name): simplified(check.expression) for check in state.checks},
        state.primary_key,
        {folded(key.name): tuple(map(folded, key.columns)) for key in state.unique},
        _foreign_keys(state),
    )


def _foreign_keys(state: TableState) -> tuple[ForeignKeyState, ...]:
    """Return the foreign keys without the parent columns that are the table's own key, which some catalogs store."""
    own = None if state.primary_key is None else state.primary_key.columns
    return tuple(
        key._replace(parent_columns=()) if key.parent == state.name and key.parent_columns == own else key
        for key in state.foreign_keys
    )
