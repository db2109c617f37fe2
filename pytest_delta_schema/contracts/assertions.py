"""Assertions for ordinary tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.errors import DriftError
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.report.text import drift_text
from pytest_delta_schema.rules.validator import PlanValidator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.state.states import CatalogReader


def assert_no_drift(tables: Table | Iterable[Table], catalog: CatalogReader) -> None:
    """Make sure that ``catalog`` holds what ``tables`` declare; nothing is changed.

    Args:
        tables: One model or several.
        catalog: Where to look, such as the fixture ``delta_catalog``.

    Raises:
        DriftError: An ``AssertionError`` that shows every change and the SQL that would run.
        InvalidModelError: If a declaration breaks rules.
        CatalogReadError: If a table cannot be read.
    """
    models = [tables] if isinstance(tables, Table) else list(tables)
    PlanValidator().validate_models(models)
    plan = TablePlanner().plan(models, catalog.snapshot(models))
    if not plan.is_empty:
        raise DriftError(drift_text(plan, {model.qualified_name: str(model.origin) for model in models}))
