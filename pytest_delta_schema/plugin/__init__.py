"""The pytest plugin: its hooks, which import everything else when a run needs it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.plugin import hookspecs
from pytest_delta_schema.plugin.fixtures import *  # noqa: F403 - pytest finds the fixtures of a plugin in its module
from pytest_delta_schema.plugin.registration import (
    PUSHED,
    PYTEST_MARKS,
    RUN,
    RUNNING,
    TABLE_MODULE,
    add_options,
    is_configured,
    note_project,
    other_projects,
    run_in_one_process,
    show_progress,
)
from pytest_delta_schema.settings import pop_settings, push_settings

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.execute.protocols import Catalog


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of this plugin."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Check the settings, before anything is collected."""
    show_progress(config)
    run_in_one_process(config)
    for name, meaning in PYTEST_MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.stash[PUSHED] = push_settings(lambda: _settings(config), lambda: _catalog(config))
    # The settings of an outer run apply again after this one.
    config.add_cleanup(partial(pop_settings, config.stash[PUSHED]))
    if is_configured(config) or config.hook.pytest_delta_schema_report.get_hookimpls() or _changes_snapshots(config):
        from pytest_delta_schema.plugin.run import start_run

        start_run(config)


def _changes_snapshots(config: pytest.Config) -> bool:
    """Whether syrupy may delete or report snapshots: with ``--snapshot-update``, and in the workers of xdist."""
    return getattr(config.option, "update_snapshots", False) or hasattr(config, "workerinput")


def _settings(config: pytest.Config) -> Settings:
    """Return the settings of a run."""
    from pytest_delta_schema.plugin.run import contract_run, with_hook_rules

    return with_hook_rules(contract_run(config).options.settings, config)


def _catalog(config: pytest.Config) -> Catalog | None:
    """Return the catalog of a run, or of scratch tables for a test that makes some; ``None`` if no test runs."""
    from pytest_delta_schema.plugin.compat import fixture_value

    item = config.stash.get(RUNNING, None)
    makes_tables = "delta_scratch_catalog" in getattr(item, "fixturenames", ())
    return None if item is None else fixture_value(item, "delta_scratch_catalog" if makes_tables else "delta_catalog")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> None:
    """Note which projects below the root of a repository have their own settings."""
    if file_path.name == "pyproject.toml":
        note_project(parent.config, file_path)


def pytest_report_collectionfinish(config: pytest.Config) -> str | None:
    """Say that the contracts of such projects are not checked."""
    return other_projects(config)


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Collector] | None:
    """Turn declared tables into test items."""
    # If the module that defines tables was not imported, there are no tables to collect.
    if TABLE_MODULE not in sys.modules or not isinstance(collector, pytest.Module):
        return None
    from pytest_delta_schema.plugin.collection import tables_in
    from pytest_delta_schema.plugin.run import contract_run

    contract_run(collector.config)
    return tables_in(collector, name, obj)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note which test runs."""
    item.config.stash[RUNNING] = item


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the outcome of a check to its report, and report once a run why a catalog is not available."""
    report = yield
    run = item.config.stash.get(RUN, None)
    if run is not None:
        from pytest_delta_schema.plugin.run import complete_report

        complete_report(report, run, item, call)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Prepare the process that controls the workers of xdist, and show their progress."""
    from pytest_delta_schema.plugin.run import contract_run
    from pytest_delta_schema.plugin.terminal import show_progress_of

    contract_run(node.config)
    show_progress_of(node)
