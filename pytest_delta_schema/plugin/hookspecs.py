"""Hooks through which a project adds its own rules, and reads the report of a run.

A conftest that must also work without the plugin marks its implementations ``@pytest.hookimpl(optionalhook=True)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    import pytest

    from pytest_delta_schema.rules.rule import ModelRule, PlanRule


def pytest_delta_schema_model_rules(config: pytest.Config) -> Iterable[ModelRule]:  # type: ignore[empty-body]
    """Return rules for every declaration, besides the standard ones.

    Args:
        config: The run's configuration.
    """


def pytest_delta_schema_plan_rules(config: pytest.Config) -> Iterable[PlanRule]:  # type: ignore[empty-body]
    """Return rules for every plan, besides the standard ones.

    Args:
        config: The run's configuration.
    """


def pytest_delta_schema_report(config: pytest.Config, report: Mapping[str, Any]) -> None:
    """Receive the report of a run, once at its end, in the process that shows its results; not if no check has run.

    Args:
        config: The run's configuration.
        report: The report, as in a file of the type ``json``.
    """
