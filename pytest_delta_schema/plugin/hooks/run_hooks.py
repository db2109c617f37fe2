"""The hooks and fixtures that only a run with tables or settings of this package needs; no other run imports them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.plugin.compat.xdist_compat import is_distributed, is_worker
from pytest_delta_schema.plugin.options.option_values import AGAINST, IMPORT, WRITES_MODELS
from pytest_delta_schema.plugin.options.registration import TABLE_MODULE
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable, report_error, show_once, without_start_line
from pytest_delta_schema.plugin.run.stash_keys import OUTCOME

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.plugin.run.contract_run import ContractRun

_ENDS_OF_TESTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


class RunHooks:
    """A plugin that is registered with the state of a run."""

    def __init__(self, run: ContractRun) -> None:
        self._run = run

    def pytest_report_header(self, config: pytest.Config) -> str | None:
        """Name the file whose section configures the run."""
        path = self._run.options.project_file
        if path is None:
            return None
        from pytest_delta_schema.diagnostics.escaping import printed_line

        shown = path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path
        return printed_line(f"delta schema: configured by {shown}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makemodule(self, module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
        """Import the modules of the setting ``models`` by their dotted names."""
        dotted = self._run.options.models.get(module_path)
        if dotted is None:
            return None
        from pytest_delta_schema.plugin.collection.model_collection import models_module

        return models_module(parent, module_path, dotted)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Escape why something could not be collected, such as a name in the message of an error."""
        report = yield
        if report.failed:
            from pytest_delta_schema.plugin.outcomes.printed_reports import escape_collect_report

            escape_collect_report(collector.config, report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Collect the modules of the setting ``models`` also where ``python_files`` does not match them."""
        collectors = yield
        dotted = self._run.options.models.get(file_path)
        if dotted is None:
            return collectors
        from pytest_delta_schema.plugin.collection.model_collection import ModelsModule, models_module

        # That of doctests is another kind of module, which has no tables.
        if any(isinstance(collector, ModelsModule) for collector in collectors):
            return collectors
        return [*collectors, models_module(parent, file_path, dotted)]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Warn of tables where none are collected, and stop a run whose settings do not fit what was collected."""
        if TABLE_MODULE in sys.modules:
            from pytest_delta_schema.plugin.collection.unread_variables import warn_of_conftests

            warn_of_conftests(config)
        from pytest_delta_schema.plugin.options.reading import only_shows, rule_faults

        run = self._run
        if only_shows(config):
            return
        if run.options.contracts_only:
            from pytest_delta_schema.plugin.collection.other_tests import deselect_other_tests

            run.other_tests = deselect_other_tests(config, items)
        if run.tables and run.options.settings.rules:
            # A worker of xdist cannot stop the run with a message: there, the checks that need the rules fail.
            faults = [] if is_worker(config) else rule_faults(run.options.settings.rules)
            if faults:
                from pytest_delta_schema.diagnostics.escaping import printed

                raise pytest.UsageError(printed("\n".join(faults)))
        if run.options.mode not in {None, IMPORT, AGAINST} and (run.settings.must_match or run.settings.bindings):
            from pytest_delta_schema.engine.consent_audit import unmatched_consents
            from pytest_delta_schema.plugin.collection.selection import bindings_that_fail
            from pytest_delta_schema.plugin.summary.terminal_summary import refuse

            refuse(config, items, [*unmatched_consents(run.declarations), *bindings_that_fail(run)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run checks without a catalog first, and tests that use the catalog after the checks that change it.

        Here no other plugin changes the order again, as ``--failed-first`` would. All tables that were selected are
        noted, so they can be read at once.
        """
        run = self._run
        if run.tables:
            from pytest_delta_schema.plugin.collection.selection import (
                changing_items,
                selected_tables,
                sort_items,
                tables_with_rules,
            )
            from pytest_delta_schema.plugin.hooks.gc_freeze import freeze_after_collection

            session.items[:] = sort_items(session.items, run)
            run.selected, run.checked_by_rules = selected_tables(session.items), tables_with_rules(session.items)
            run.changing = changing_items(session.items, run)
            freeze_after_collection(session)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start the session of a catalog that a test uses, and stop a test whose session another test stopped."""
        if "delta_catalog" in getattr(item, "fixturenames", ()):
            from pytest_delta_schema.plugin.hooks.catalog_start import start_for_test

            start_for_test(item, self._run)
        watch = self._run.spark_watch
        fault = None if watch is None else watch.fault(getattr(item, "fixturenames", ()))
        if fault:
            raise CatalogUnavailable(fault)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show once a run, and not once a worker of xdist, why a catalog is not available."""
        node = getattr(report, "node", None)
        if node is not None and report.failed:
            show_once(node.config, report)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None, object, object]:
        """Run before syrupy, and prevent it from deleting or reporting snapshots of tests that did not run."""
        config, run = session.config, self._run
        updates = getattr(config.option, "update_snapshots", False)
        if not (updates or run.tables or run.is_refused or _has_workers(config)):
            return (yield)
        from pytest_delta_schema.plugin.compat.syrupy_compat import (
            corrected_report,
            find_no_unused,
            mark_as_skipped,
            protect_after_run,
        )

        if updates:
            protect_after_run(session, exitstatus)
        mark_as_skipped(config, run.without_snapshot)
        stopped = config.option.collectonly or exitstatus not in _ENDS_OF_TESTS
        # A run that writes models compares no snapshot, and so knows of none that is unused.
        if run.is_refused or run.options.mode in WRITES_MODELS or (stopped and not is_distributed(config)):
            find_no_unused(config)
        with corrected_report():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, config: pytest.Config, terminalreporter: pytest.TerminalReporter) -> None:
        """Name unused files before the report of syrupy; no check and no report needs the states of tables any more."""
        from pytest_delta_schema.plugin.compat.syrupy_compat import report_no_unused, unused_lines

        report_no_unused(config)
        for line in unused_lines(config):
            terminalreporter.write_line(line)
        self._run.forget_gates()

    @pytest.fixture
    def _delta_readable(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """Stop in set-up, with one line, if the table cannot be read."""
        from pytest_delta_schema.plugin.hooks.preconditions import require_readable_table

        require_readable_table(request, self._run.gate(delta_catalog))

    @pytest.fixture
    def _delta_started(self, delta_catalog: Catalog) -> None:
        """Start the session of the catalog in set-up, so a session that does not start is an error."""
        from pytest_delta_schema.plugin.hooks.catalog_start import start_catalog_session

        start_catalog_session(delta_catalog)

    @pytest.fixture
    def _delta_entry_readable(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """Stop in set-up, with one line, if the table or its catalog entry cannot be read."""
        from pytest_delta_schema.plugin.hooks.preconditions import require_readable_entry

        require_readable_entry(request, self._run.gate(delta_catalog))


def complete_report(
    report: pytest.TestReport, run: ContractRun, item: pytest.Item, call: pytest.CallInfo[None]
) -> None:
    """Attach the outcome of a check to its report, and report once a run why a catalog is not available."""
    if run.spark_watch is not None:
        run.spark_watch.look(report)
    if OUTCOME in item.stash:
        from pytest_delta_schema.plugin.outcomes.outcome_report import attach

        attach(item, report)
    if call.excinfo is not None:
        report_error(item, report, call.excinfo.value)
    if report.sections and run.has_started_spark:
        without_start_line(report)
    if call.excinfo is not None or report.sections:
        from pytest_delta_schema.plugin.outcomes.printed_reports import escape_report

        escape_report(item, report, None if call.excinfo is None else call.excinfo.value)


def _has_workers(config: pytest.Config) -> bool:
    """Whether xdist distributes tests; the process that controls workers collects no tables, and reports snapshots."""
    manager = config.pluginmanager
    return manager.hasplugin("syrupy") and manager.hasplugin("xdist") and is_distributed(config)
