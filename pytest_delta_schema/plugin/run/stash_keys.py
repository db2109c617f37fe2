"""Keys of the stash of a run and of its items, and the names of the plugins that collect outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.plugin.run.contract_run import ContractRun
    from pytest_delta_schema.settings.stack import PushedSettings

RUN: pytest.StashKey[ContractRun] = pytest.StashKey()
"""Key of the run in the configuration's stash, which has it from the first use of this package on."""

PUSHED: pytest.StashKey[PushedSettings] = pytest.StashKey()
"""Key of the run's entry on the stack of settings."""

RUNNING: pytest.StashKey[pytest.Item] = pytest.StashKey()
"""Key of the item that runs, or ran last."""

OUTCOME: pytest.StashKey[TableOutcome] = pytest.StashKey()
"""Key of the outcome in an item's stash."""

SUMMARY, REPORTS = "delta_schema_summary", "delta_schema_reports"
"""The names of the plugins that collect the outcomes of a run: for the terminal, and for reports."""

COMPARISON = "delta_schema_comparison"
"""The name of the plugin that compares with the contracts of the past; its ``labels`` name their commits."""

ADOPT_RUN = "delta_schema_adopt"
"""The name of the plugin that accepts drift into the source of models."""
