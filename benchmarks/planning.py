"""Planning against parsing: the yardstick is ``json.loads`` over the schema strings of the same tables."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

from measure import Ratio, ratio, seconds
from subjects import COLUMNS, drifted, models, nested_models, observed, parse_all, schema_string, size

from pytest_delta_schema import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state import CatalogState
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = 1000


def run() -> Iterator[Ratio]:
    """Yield every ratio of planning."""
    tables = models(TABLES)
    texts = [schema_string(table) for table in tables]
    print(f"planning {TABLES} tables x {COLUMNS} columns, {size(tables):.1f} KB a schema string")

    def yardstick() -> object:
        return parse_all(texts)

    wanted = [desired_state(table) for table in tables]
    planner = TablePlanner()
    clean = CatalogState(
        tables={state.name: observed(table, state) for table, state in zip(tables, wanted, strict=True)}
    )
    dirty = CatalogState(tables={name: drifted(state) for name, state in clean.tables.items()})

    assert planner.plan(tables, clean).is_empty
    assert all(len(action.changes) == 5 for action in planner.plan_states(wanted, dirty).align_tables)

    yield ratio("models to desired state", lambda: [desired_state(table) for table in tables], yardstick, bound=1.0)
    yield _nested()
    yield ratio("clean plan of frozen states", lambda: planner.plan_states(wanted, clean), yardstick, bound=0.1)
    yield ratio("plan + render, five changes a table", lambda: _render(planner, wanted, dirty), yardstick, bound=0.7)
    yield _linearity(planner)
    yield _memory(TABLES)


def _nested() -> Ratio:
    tables = nested_models(TABLES)
    texts = [schema_string(table) for table in tables]
    return ratio(
        "models to desired state, three columns in ten nested",
        lambda: [desired_state(table) for table in tables],
        lambda: parse_all(texts),
        bound=1.0,
    )


def _render(planner: TablePlanner, wanted: list, state: CatalogState) -> int:  # type: ignore[type-arg]
    plan = planner.plan_states(wanted, state)
    return sum(len(statement.sql) for action in plan.align_tables for statement in statements(action))


def _linearity(planner: TablePlanner) -> Ratio:
    def cost(count: int) -> float:
        wanted = [desired_state(table) for table in models(count)]
        state = CatalogState(tables={table.name: drifted(table) for table in wanted})
        return min(seconds(lambda: _render(planner, wanted, state)) for _ in range(3)) / count

    large, small = cost(10_000), cost(1_000)
    return Ratio("a table's cost, 10,000 tables against 1,000", large, small, large / small, 1.5)


def _memory(count: int) -> Ratio:
    tables = models(count)
    tracemalloc.start()
    wanted = [desired_state(table) for table in tables]
    clean = {state.name: observed(table, state) for table, state in zip(tables, wanted, strict=True)}
    plan = TablePlanner().plan_states(wanted, CatalogState(tables={name: drifted(s) for name, s in clean.items()}))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    kib = used / 1024 / count
    print(f"memory: {kib:.1f} KiB a table for both states and a plan of {len(plan.align_tables)} alignments")
    return Ratio("memory a table, KiB against 40 KiB", kib / 1000, 40 / 1000, kib / 40, 1.0)
