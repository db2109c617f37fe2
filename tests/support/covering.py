"""A few scenarios that together show all that a backend does, for backends on which all of them take minutes."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from pytest_delta_schema.state import ArrayState, MapState, StructState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario_runner import initial_refusal, planned, statements_of
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema import Table
    from pytest_delta_schema.execute import Capabilities
    from pytest_delta_schema.plan import TablePlan
    from pytest_delta_schema.sql import Statement
    from pytest_delta_schema.state import ColumnState, TableState
    from pytest_delta_schema.state.types import DataTypeState
    from pytest_delta_schema.testing.scenario import Scenario

ALL = bool(os.environ.get("DELTA_SCHEMA_TEST_ALL"))
"""Whether every backend plays every scenario, and random tests draw more examples; ``make test-all`` sets it."""

COVERING = bool(os.environ.get("DELTA_SCHEMA_TEST_COVERING"))
"""Whether the local backend, too, plays a covering set only; ``make test-versions COVERING=1`` sets it."""

Trait = tuple[str, ...]
"""Something that a backend can do differently from others, such as ``("add columns", "emulated")``."""


def played_on(capabilities: Capabilities, *topics: str) -> tuple[str, ...]:
    """Return the names of the scenarios that a backend plays: a covering set, or all of them."""
    played = [scenario for scenario in SCENARIOS if not topics or scenario.name.partition("/")[0] in topics]
    if not ALL:
        candidates = [
            scenario
            for scenario in played
            if not scenario.is_refused_by_rules
            and scenario.parquet is None
            and initial_refusal(scenario, capabilities) is None
        ]
        played = cover(candidates, capabilities)
    return tuple(scenario.name for scenario in played)


def is_refused_on(name: str, capabilities: Capabilities) -> bool:
    """Whether a backend refuses a statement of a scenario."""
    return any(capabilities.refuses(statement) is not None for statement in _planned(name))


def cover(
    candidates: Iterable[Scenario],
    capabilities: Capabilities,
    traits_of: Callable[[Scenario, Capabilities], Iterable[Trait]] | None = None,
) -> list[Scenario]:
    """Return scenarios that together have all traits of all candidates, taking the most new ones a commit first."""
    left = {scenario.name: (scenario, set((traits_of or traits)(scenario, capabilities))) for scenario in candidates}
    missing: set[Trait] = set().union(*(own for _, own in left.values()))
    chosen = []
    while missing:
        best = max(left.values(), key=lambda pair: len(pair[1] & missing) / _cost(pair[0]))
        chosen.append(best[0])
        missing -= best[1]
    return chosen


def traits(scenario: Scenario, capabilities: Capabilities) -> frozenset[Trait]:
    """Return what a scenario shows of a backend: its statements, what is stored, and why it is refused."""
    shown: set[Trait] = {("refused by", code) for code in scenario.refused_by}
    shown |= statement_traits(scenario, capabilities)
    for model in (scenario.before, scenario.after):
        shown |= set(stored_traits(model))
    for name in ("other_tables", "external_properties", "requires_unset"):
        if getattr(scenario, name):
            shown.add((name,))
    if _plan(scenario.name).mismatches:
        shown.add(("reported",))
    return frozenset(shown)


def statement_traits(scenario: Scenario, capabilities: Capabilities) -> frozenset[Trait]:
    """Return the statements of a scenario, and how a backend runs them."""
    return frozenset((statement.kind.value, _how(statement, capabilities)) for statement in _planned(scenario.name))


def _how(statement: Statement, capabilities: Capabilities) -> str:
    if capabilities.refuses(statement) is not None:
        return "refused"
    return "emulated" if capabilities.is_emulated(statement) else "run"


def _cost(scenario: Scenario) -> int:
    """Return about how many commits a scenario takes, those that set it up included."""
    return 3 + 2 * len(_planned(scenario.name)) + len(scenario.other_tables) + bool(scenario.rows)


@cache
def _plan(name: str) -> TablePlan:
    return planned(next(scenario for scenario in SCENARIOS if scenario.name == name))


@cache
def _planned(name: str) -> tuple[Statement, ...]:
    return tuple(statements_of(_plan(name)))


def stored_traits(model: Table | None) -> Iterator[Trait]:
    """Yield what a reader has to read of a table."""
    if model is None:
        yield ("no table",)
        return
    state = desired_state(model)
    for column in state.columns:
        yield from _column(column)
    yield from _aspects(state)
    yield from (("property", key) for key in state.table_properties if key.startswith("delta."))
    yield from (("characters", name) for name in _odd(state.table_comment))
    yield from (("tags", "columns" if path else "table") for path in state.tags)


def _aspects(state: TableState) -> Iterator[Trait]:
    for aspect in ("table_comment", "primary_key", "unique", "checks", "foreign_keys", "partitioning", "clustering"):
        if getattr(state, aspect):
            yield ("stored", aspect)
    if any(len(path) > 1 for path in state.clustering):
        yield ("stored", "clustering by fields")


def _column(column: ColumnState, where: str = "column") -> Iterator[Trait]:
    yield from (("characters", name) for name in _odd(column.name))
    if column.comment:
        yield (where, "comment")
    if not column.is_nullable:
        yield (where, "not null")
    if column.value is not None:
        yield from ((where, part) for part, value in column.value._asdict().items() if value is not None)
    yield from _type(column.data_type)


def _type(data_type: DataTypeState) -> Iterator[Trait]:
    if isinstance(data_type, str):
        yield ("type", data_type.partition("(")[0])
    elif isinstance(data_type, StructState):
        yield ("type", "struct")
        for field in data_type.fields:
            yield from _column(field, "field")
    elif isinstance(data_type, ArrayState):
        yield ("type", "array")
        yield from _type(data_type.element)
    elif isinstance(data_type, MapState):
        yield ("type", "map")
        yield from _type(data_type.key)
        yield from _type(data_type.value)


def _odd(text: str) -> Iterator[str]:
    """Yield the characters of a name or text that SQL or a reader may treat in its own way."""
    yield from (
        character for character in text if not (character.isascii() and (character.isalnum() or character in " _."))
    )
