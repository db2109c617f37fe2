"""Planning against parsing: the reference is ``json.loads`` over the schema strings of the same tables."""

from __future__ import annotations

import tracemalloc
from dataclasses import field, fields, make_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from measure import ROUNDS, Row, in_turn, seconds
from subjects import (
    COLUMNS,
    Kinds,
    described_models,
    drifted,
    model,
    models,
    nested_models,
    observed,
    parse_all,
    schema_string,
    size,
)  # fmt: skip

from pytest_delta_schema import Column, ForeignKey, Table, Unique
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state import CatalogState
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_delta_schema.state import TableState

TABLES = 1000
PARSING = "`json.loads` of their schemas"


def run() -> Iterator[Row]:
    """Yield every ratio of planning."""
    tables = models(TABLES)
    texts = [schema_string(table) for table in tables]
    print(f"planning {TABLES} tables x {COLUMNS} columns, {size(tables):.1f} KB a schema string")
    wanted = [desired_state(table) for table in tables]
    planner = TablePlanner()
    clean = CatalogState(
        tables={state.name: observed(table, state) for table, state in zip(tables, wanted, strict=True)}
    )
    dirty = CatalogState(tables={name: drifted(state) for name, state in clean.tables.items()})

    assert planner.plan(tables, clean).is_empty
    assert all(len(action.changes) == 5 for action in planner.plan_states(wanted, dirty).align_tables)

    def row(name: str, work: Callable[[], object], limit: float) -> Row:
        return Row(name=name, reference_name=PARSING, pairs=in_turn(work, lambda: parse_all(texts)), limit=limit)

    name = f"models to desired states, {TABLES:,} tables of {COLUMNS} columns"
    yield row(name, lambda: [desired_state(table) for table in tables], 1.0)
    yield _nested()
    yield row("a plan without changes", lambda: planner.plan_states(wanted, clean), 0.1)
    yield row("plan and render, five changes a table", lambda: _render(planner, wanted, dirty), 0.7)
    yield from _described(planner, texts)
    yield _linearity(planner)
    yield _memory(tables, texts)
    yield from _declaring()


def _declaring() -> Iterator[Row]:
    """Compare declarations with frozen dataclasses of the same fields, which check nothing."""
    kinds = Kinds(*map(_unchecked, (Column, Table, ForeignKey, Unique)))

    def row(name: str, work: Callable[[], object], reference: Callable[[], object]) -> Row:
        name = f"{name}, {TABLES:,} tables of {COLUMNS} columns"
        pairs = in_turn(work, reference)
        return Row(name=name, reference_name="frozen dataclasses of the same fields", pairs=pairs, limit=1.5)

    yield row("models", lambda: models(TABLES), lambda: [model(number, *kinds[:2]) for number in range(TABLES)])
    described = partial(described_models, TABLES)
    yield row("models with tags and keys", described, lambda: described(kinds))


def _unchecked(kind: type[Any]) -> type[Any]:
    """Return a frozen dataclass with the fields of a declaration."""
    arguments = [(part.name, part.kw_only) for part in fields(kind) if part.init]
    parts = [(name, object, field(default=None, kw_only=is_named)) for name, is_named in arguments]
    return make_dataclass(kind.__name__, parts, frozen=True, slots=True)


def _described(planner: TablePlanner, texts: list[str]) -> Iterator[Row]:
    """Yield the ratios for tables with tags and keys."""
    tables = described_models(TABLES)
    wanted = [desired_state(table) for table in tables]
    clean = CatalogState(
        tables={state.name: observed(table, state) for table, state in zip(tables, wanted, strict=True)}
    )
    dirty = CatalogState(tables={name: drifted(state) for name, state in clean.tables.items()})
    assert planner.plan_states(wanted, clean).is_empty
    assert all(len(action.changes) == 5 for action in planner.plan_states(wanted, dirty).align_tables)

    def row(name: str, state: CatalogState, limit: float) -> Row:
        pairs = in_turn(lambda: _render(planner, wanted, state), lambda: parse_all(texts))
        return Row(name=f"{name}, with tags and keys", reference_name=PARSING, pairs=pairs, limit=limit)

    yield row("a plan without changes", clean, 0.25)
    yield row("plan and render, five changes a table", dirty, 1.0)


def _nested() -> Row:
    tables = nested_models(TABLES)
    texts = [schema_string(table) for table in tables]
    pairs = in_turn(lambda: [desired_state(table) for table in tables], lambda: parse_all(texts))
    name = "models to desired states, three columns in ten nested"
    return Row(name=name, reference_name=PARSING, pairs=pairs, limit=1.0)


def _render(planner: TablePlanner, wanted: Sequence[TableState], state: CatalogState) -> int:
    plan = planner.plan_states(wanted, state)
    return sum(len(statement.sql) for action in plan.align_tables for statement in statements(action))


def _linearity(planner: TablePlanner) -> Row:
    def rendering(count: int) -> Callable[[], object]:
        wanted = [desired_state(table) for table in models(count)]
        state = CatalogState(tables={table.name: drifted(table) for table in wanted})
        return lambda: _render(planner, wanted, state)

    many, few = rendering(10_000), rendering(1_000)
    pairs = [(seconds(many) / 10_000, seconds(few) / 1_000) for _ in range(ROUNDS)]
    return Row(name="cost of a table among 10,000", reference_name="among 1,000", pairs=pairs, limit=1.5)


def _memory(tables: Sequence[Table], texts: list[str]) -> Row:
    """Compare the memory of both states and a plan with that of the parsed schemas; it is the same in each round."""

    def planned() -> object:
        wanted = [desired_state(table) for table in tables]
        clean = {state.name: observed(table, state) for table, state in zip(tables, wanted, strict=True)}
        dirty = CatalogState(tables={name: drifted(state) for name, state in clean.items()})
        return wanted, clean, TablePlanner().plan_states(wanted, dirty)

    pair = (_held(planned) / len(tables), _held(lambda: parse_all(texts)) / len(tables))
    name = "memory of a table, both states and its plan"
    return Row(name=name, reference_name=PARSING, pairs=[pair], limit=0.33, unit="KiB")


def _held(work: Callable[[], object]) -> float:
    """Return the memory in KiB that a result takes."""
    tracemalloc.start()
    result = work()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return used / 1024
