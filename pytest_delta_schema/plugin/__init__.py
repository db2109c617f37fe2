"""The pytest plugin: its hooks, which import everything else when a run needs it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.plugin import hookspecs
from pytest_delta_schema.plugin.every_run import (
    MARKS,
    OUTCOME,
    PUSHED,
    RUN,
    add_options,
    is_configured,
    is_on_github,
    show_progress,
)
from pytest_delta_schema.plugin.fixtures import (
    _delta_entry_readable,
    _delta_readable,
    _delta_scratch,
    delta_bound,
    delta_catalog,
    delta_probe,
    delta_raises,
    delta_snapshot,
    delta_spark,
    delta_spark_conf,
    delta_warehouse,
    delta_worker_id,
    make_delta_schema,
    make_delta_table,
)
from pytest_delta_schema.settings_stack import pop_settings, push_settings

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from pytest_delta_schema.engine.settings import Settings

__all__ = [
    "_delta_entry_readable",
    "_delta_readable",
    "_delta_scratch",
    "delta_bound",
    "delta_catalog",
    "delta_probe",
    "delta_raises",
    "delta_snapshot",
    "delta_spark",
    "delta_spark_conf",
    "delta_warehouse",
    "delta_worker_id",
    "make_delta_schema",
    "make_delta_table",
]

_TABLE_MODULE = "pytest_delta_schema.models.table"
_ENDS_OF_TESTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare options and ini keys."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks of this plugin."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> pytest.ExitCode | None:
    """Explain codes or start a project instead of running tests, with ``--delta-explain`` and ``--delta-init``."""
    option = config.option
    codes = option.delta_schema_explain
    if option.help or (codes is None and not option.delta_schema_init):
        return None
    from pytest_delta_schema.plugin.commands import command_output

    sys.stdout.write(command_output(config, codes))
    return pytest.ExitCode.OK


def pytest_configure(config: pytest.Config) -> None:
    """Check the settings, before anything is collected."""
    show_progress(config)
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.stash[PUSHED] = push_settings(lambda: _settings(config))
    if is_configured(config) or config.hook.pytest_delta_schema_report.get_hookimpls():
        from pytest_delta_schema.plugin.run import start_run

        start_run(config)


def _settings(config: pytest.Config) -> Settings:
    """Return the settings of a run."""
    from pytest_delta_schema.plugin.run import contract_run, with_hook_rules

    return with_hook_rules(contract_run(config).options.settings, config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the file whose section configures the run."""
    run = config.stash.get(RUN, None)
    path = None if run is None else run.options.project_file
    if path is None:
        return None
    from pytest_delta_schema.escaping import escaped

    shown = path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path
    return escaped(f"delta schema: configured by {shown}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the settings of this run from the stack; those of an outer run apply again."""
    pushed = config.stash.get(PUSHED, None)
    if pushed is not None:
        pop_settings(pushed)


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Collector] | None:
    """Turn declared tables into test items."""
    # If the module that defines tables was not imported, there are no tables to collect.
    if _TABLE_MODULE not in sys.modules or not isinstance(collector, pytest.Module):
        return None
    from pytest_delta_schema.plugin.collection import tables_in
    from pytest_delta_schema.plugin.run import contract_run

    contract_run(collector.config)
    return tables_in(collector, name, obj)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Import the modules of the setting ``models`` by their dotted names."""
    run = parent.config.stash.get(RUN, None)
    dotted = None if run is None else run.options.models.get(module_path)
    if dotted is None:
        return None
    from pytest_delta_schema.plugin.collection import models_module

    return models_module(parent, module_path, dotted)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect the modules of the setting ``models`` also where ``python_files`` does not match them."""
    collectors = yield
    run = parent.config.stash.get(RUN, None)
    dotted = None if run is None else run.options.models.get(file_path)
    if dotted is None or any(isinstance(collector, pytest.Module) for collector in collectors):
        return collectors
    from pytest_delta_schema.plugin.collection import models_module

    return [*collectors, models_module(parent, file_path, dotted)]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Stop the run if its settings do not fit what was collected."""
    run = config.stash.get(RUN, None)
    if run is None:
        return
    from pytest_delta_schema.plugin.configuration import only_shows, rule_faults

    if only_shows(config):
        return
    if run.tables and run.options.settings.rules:
        from pytest_delta_schema.plugin.workers import is_worker

        # A worker of xdist cannot stop the run with a message: there, the checks that need the rules fail.
        faults = [] if is_worker(config) else rule_faults(run.options.settings.rules)
        if faults:
            raise pytest.UsageError("\n".join(faults))
    if run.options.mode is not None and (run.settings.must_match or run.settings.bindings):
        from pytest_delta_schema.engine.consent_audit import unmatched_consents
        from pytest_delta_schema.plugin.collection import bindings_that_fail
        from pytest_delta_schema.plugin.summary import refuse

        refuse(config, items, [*unmatched_consents(run.declarations), *bindings_that_fail(run)])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Run checks without a catalog first, and tests that use the catalog after the checks that change it.

    Here no other plugin changes the order again, as ``--failed-first`` would. All tables that were selected are noted,
    so that they can be read at once.
    """
    run = session.config.stash.get(RUN, None)
    if run is not None and run.tables:
        from pytest_delta_schema.plugin.collection import in_order, selected_tables, tables_with_rules

        session.items[:] = in_order(session.items, run)
        run.selected, run.checked_by_rules = selected_tables(session.items), tables_with_rules(session.items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Stop a test whose Spark session was stopped by another one."""
    run = item.config.stash.get(RUN, None)
    if run is None or run.spark_watch is None:
        return
    fault = run.spark_watch.fault(getattr(item, "fixturenames", ()))
    if fault:
        from pytest_delta_schema.plugin.failures import CatalogUnavailable

        raise CatalogUnavailable(fault)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the outcome of a check to its report, and report once a run why a catalog is not available."""
    report = yield
    run = item.config.stash.get(RUN, None)
    if run is None:
        return report
    if run.spark_watch is not None:
        run.spark_watch.look(report)
    if OUTCOME in item.stash:
        from pytest_delta_schema.plugin.outcome_report import attach

        attach(item, report)
    if call.excinfo is not None:
        from pytest_delta_schema.plugin.failures import report_error

        report_error(item, report, call.excinfo.value)
    if report.sections and run.has_started_spark:
        from pytest_delta_schema.plugin.failures import without_start_line

        without_start_line(report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Show once a run, and not once a worker of xdist, why a catalog is not available."""
    node = getattr(report, "node", None)
    if node is not None and report.failed:
        from pytest_delta_schema.plugin.failures import show_once

        show_once(node.config, report)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Show the progress of a worker of xdist."""
    from pytest_delta_schema.plugin.terminal import show_progress_of

    show_progress_of(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """Collect the results of the workers of a run without settings, which GitHub Actions shows without being asked."""
    if RUN not in node.config.stash and is_on_github() and any(node_id.endswith("::rules") for node_id in ids):
        from pytest_delta_schema.plugin.run import contract_run

        contract_run(node.config)
        reports = node.config.pluginmanager.getplugin("delta_schema_reports")
        if reports is not None:
            # It was registered during this call, which does not reach it.
            reports.pytest_xdist_node_collection_finished(ids)


def _has_workers(config: pytest.Config) -> bool:
    """Whether xdist distributes tests; the process that controls workers collects no tables, and reports snapshots."""
    if not (config.pluginmanager.hasplugin("syrupy") and config.pluginmanager.hasplugin("xdist")):
        return False
    from pytest_delta_schema.plugin.workers import is_distributed

    return is_distributed(config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Generator[None, object, object]:
    """Run before syrupy, and prevent it from deleting or reporting snapshots of tests that did not run."""
    config, run = session.config, session.config.stash.get(RUN, None)
    updates = getattr(config.option, "update_snapshots", False)
    if not (updates or (run is not None and (run.tables or run.is_refused)) or _has_workers(config)):
        return (yield)
    from pytest_delta_schema.plugin.run import contract_run
    from pytest_delta_schema.plugin.syrupy_compat import (
        corrected_report,
        find_no_unused,
        mark_as_skipped,
        protect_after_run,
    )
    from pytest_delta_schema.plugin.workers import is_distributed

    run = contract_run(config)
    if updates:
        protect_after_run(session, exitstatus)
    mark_as_skipped(config, run.without_snapshot)
    stopped = config.option.collectonly or exitstatus not in _ENDS_OF_TESTS
    if run.is_refused or (stopped and not is_distributed(config)):
        find_no_unused(config)
    with corrected_report():
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(config: pytest.Config) -> None:
    """Run before the report of syrupy."""
    if RUN in config.stash:
        from pytest_delta_schema.plugin.syrupy_compat import report_no_unused

        report_no_unused(config)
