"""Planning against parsing: the reference is ``json.loads`` over the schema strings of the same tables."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

from measure import Ratio, of_limit, ratio, seconds
from subjects import COLUMNS, drifted, models, nested_models, observed, parse_all, schema_string, size

from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state import CatalogState
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = 1000
PARSING = "`json.loads` of their schemas"


def run() -> Iterator[Ratio]:
    """Yield every ratio of planning."""
    tables = models(TABLES)
    texts = [schema_string(table) for table in tables]
    print(f"planning {TABLES} tables x {COLUMNS} columns, {size(tables):.1f} KB a schema string")

    def reference() -> object:
        return parse_all(texts)

    wanted = [desired_state(table) for table in tables]
    planner = TablePlanner()
    clean = CatalogState(
        tables={state.name: observed(table, state) for table, state in zip(tables, wanted, strict=True)}
    )
    dirty = CatalogState(tables={name: drifted(state) for name, state in clean.tables.items()})

    assert planner.plan(tables, clean).is_empty
    assert all(len(action.changes) == 5 for action in planner.plan_states(wanted, dirty).align_tables)

    yield ratio(
        f"models to desired states, {TABLES:,} tables of {COLUMNS} columns",
        PARSING,
        lambda: [desired_state(table) for table in tables],
        reference,
        bound=1.0,
    )
    yield _nested()
    yield ratio("a plan without changes", PARSING, lambda: planner.plan_states(wanted, clean), reference, bound=0.1)
    yield ratio(
        "plan and render, five changes a table",
        PARSING,
        lambda: _render(planner, wanted, dirty),
        reference,
        bound=0.7,
    )
    yield _linearity(planner)
    yield _memory(TABLES)


def _nested() -> Ratio:
    tables = nested_models(TABLES)
    texts = [schema_string(table) for table in tables]
    return ratio(
        "models to desired states, three columns in ten nested",
        PARSING,
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
    return Ratio("cost of a table among 10,000", "among 1,000", large, small, large / small, 1.5)


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
    return of_limit("memory of a table, both states and its plan", kib, 40, "KiB")
