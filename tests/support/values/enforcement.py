"""The check ``enforces`` for the models of scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.diagnostics.errors import InvalidModelError
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.plugin.items import enforcement_outcome
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.test_kit.enforcement import enforcement_rows
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema import Table
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.execute.protocols import ScratchCatalog
    from pytest_delta_schema.test_kit.breaking import BreakingRows


def different_models() -> list[tuple[Table, tuple[BreakingRows, ...]]]:
    """Return the models of all scenarios that differ in their constraints or columns, each with its rows."""
    cases: dict[str, tuple[Table, tuple[BreakingRows, ...]]] = {}
    for scenario in SCENARIOS:
        for model in filter(None, [scenario.before, None if scenario.refused_by else scenario.after]):
            try:
                made = enforcement_rows(model).breaking
            except InvalidModelError:
                continue
            if made:
                state = desired_state(model)
                cases.setdefault(repr((state.columns, state.checks, state.keys)), (model, made))
    return [*cases.values()]


def outcomes_of(models: Iterable[Table], catalog: ScratchCatalog) -> list[TableOutcome]:
    """Return the outcomes of the check ``enforces`` for models of one name.

    Args:
        models: The models; each gets its own name, so one schema holds all tables.
        catalog: The catalog.
    """
    numbered = [_named(model, number) for number, model in enumerate(models)]
    declarations = Declarations(Settings(), {model.name: model for model in numbered})
    scratch = Scratch(catalog, "rows")
    try:
        return [enforcement_outcome(model, declarations, catalog, scratch) for model in numbered]
    finally:
        scratch.clean_up()


def _named(model: Table, number: int) -> Table:
    return derived(model, table_name=f"t{number}")
