"""The state of one pytest run, how it begins, and the hooks that act on it."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_delta_schema.diagnostics.text import counted, printed
from pytest_delta_schema.plugin.compat import added_arguments, is_distributed, is_worker, mark_selector, show_lines_with
from pytest_delta_schema.plugin.failures import (
    CatalogUnavailable,
    escape_collect_report,
    escape_report,
    is_check,
    is_of_check,
    report_error,
    show_once,
    without_start_line,
)
from pytest_delta_schema.plugin.option_reading import checked_options, rule_faults
from pytest_delta_schema.plugin.options import (
    ADOPT,
    AGAINST,
    APPLY,
    DRIFT,
    ENFORCE,
    IMPORT,
    WRITES_MODELS,
    backend_and_location,
    only_shows,
)
from pytest_delta_schema.plugin.registration import PUSHED, PYTEST_MARKS, RUN, TABLE_MODULE, WITHOUT_WORKERS
from pytest_delta_schema.plugin.terminal import markup_of, show_section

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.engine.apply_progress import ApplyProgress
    from pytest_delta_schema.engine.comparison import ContractComparison
    from pytest_delta_schema.engine.data_contracts import DataContracts
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.engine.plan_file import PlanFile
    from pytest_delta_schema.engine.source_map import Listing
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.adoption import AdoptRun, ImportRun
    from pytest_delta_schema.plugin.comparison import ComparisonRun
    from pytest_delta_schema.plugin.interruption import Interruption
    from pytest_delta_schema.plugin.items import ContractItem
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.plans import PlanWriting
    from pytest_delta_schema.plugin.results import RunResults
    from pytest_delta_schema.plugin.spark import SparkWatch
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.settings import PushedSettings
    from pytest_delta_schema.state import TableState

_T = TypeVar("_T")


def contract_run(config: pytest.Config) -> ContractRun:
    """Return the state of a run; its options are read at the first use."""
    run = config.stash.get(RUN, None)
    if run is None:
        run = config.stash[RUN] = ContractRun(config, checked_options(config), config.stash[PUSHED])
        config.pluginmanager.register(RunHooks(config, run), "delta_schema_run")
        # Hooks of a conftest in a folder are known from the first table of that folder on.
        if run.options.mode not in {None, *WRITES_MODELS} or run.has_reports:
            from pytest_delta_schema.plugin.results import RunResults

            run.results = RunResults(config, run)
            config.pluginmanager.register(run.results, "delta_schema_results")
    return run


def start_run(config: pytest.Config) -> None:
    """Begin a run that is configured: check its options, and collect and report what they name."""
    run = contract_run(config)
    options = run.options
    if options.mode == IMPORT:
        from pytest_delta_schema.plugin.adoption import ImportRun

        run.importing = ImportRun(config, run)
        return
    if options.models and config.args_source is not config.ArgsSource.ARGS:
        config.args.extend(added_arguments(config.args, options.models))
    if options.mode == ADOPT:
        from pytest_delta_schema.plugin.adoption import AdoptRun

        run.adopting = AdoptRun(config, run)
    elif not only_shows(config):
        run.has_summary = options.mode is not None
        if options.against:
            from pytest_delta_schema.plugin.comparison import ComparisonRun

            run.comparing = ComparisonRun(config, run)
        if options.values["plan_out"]:
            from pytest_delta_schema.plugin.plans import PlanWriting

            run.planning = PlanWriting(config, run)
        if options.values["plan"]:
            from pytest_delta_schema.plugin.plans import reviewed_plan

            run.reviewed = reviewed_plan(config, options.values["plan"])
        if (options.mode == APPLY or run.has_reports) and not (is_worker(config) or config.option.collectonly):
            from pytest_delta_schema.plugin.interruption import Interruption

            run.interruption = Interruption(config, run)
            config.pluginmanager.register(run.interruption, "delta_schema_interruption")


def with_hook_rules(settings: Settings, config: pytest.Config) -> Settings:
    """Return settings with the rules that the hooks of a project return."""
    model_rules = config.hook.pytest_delta_schema_model_rules(config=config)
    plan_rules = config.hook.pytest_delta_schema_plan_rules(config=config)
    return replace(
        settings,
        model_rules=tuple(rule for rules in model_rules for rule in rules),
        plan_rules=tuple(rule for rules in plan_rules for rule in rules),
    )


class ContractRun:
    """The tables of one run, and a gate for each catalog; the engine is imported when a table needs it."""

    def __init__(self, config: pytest.Config, options: Options, pushed: PushedSettings) -> None:
        self.options = options
        self.tables: dict[QualifiedName, Table] = {}
        self.listings: dict[QualifiedName, Listing] = {}
        self.schemas: dict[tuple[str, str], Table] = {}
        self.selected: list[Table] = []
        self.changing: list[ContractItem] = []
        self.checked_by_rules: set[QualifiedName] = set()
        self.audited: set[int] = set()
        self.without_snapshot: list[str] = []
        self.left_out: list[str] = []
        self.modules_without_tables: dict[Path, str] = {}
        self.other_tests = 0
        self.refusals: list[str] = []
        self.notes: dict[str, None] = {}
        self.unneeded_breaks: dict[str, str] = {}
        self.has_summary = False
        self.results: RunResults | None = None
        self.interruption: Interruption | None = None
        self.importing: ImportRun | None = None
        self.adopting: AdoptRun | None = None
        self.comparing: ComparisonRun | None = None
        self.planning: PlanWriting | None = None
        self.reviewed: PlanFile | None = None
        self.has_started_spark = False
        self.spark_watch: SparkWatch | None = None
        self.comparison: ContractComparison | None = None
        self._config = config
        self._pushed = pushed
        self._gates: dict[int, Gate] = {}
        self._joint: dict[object, Any] = {}

    def joint(self, class_: Callable[[ContractRun], _T]) -> _T:
        """Return the object of a class that the items of the run share, which is made when the first one needs it."""
        if class_ not in self._joint:
            self._joint[class_] = class_(self)
        made: _T = self._joint[class_]
        return made

    def note_unreported(self, node_id: str, outcome: TableOutcome) -> None:
        """Note the outcome of a change that was made before its item, which may not run any more."""
        if self.results is not None:
            self.results.unreported[node_id] = outcome

    def watch(self, fixture: str, spark: SparkSession) -> None:
        """Watch the session on which a fixture depends, so the report names the test that stopped it."""
        if self.spark_watch is None:
            from pytest_delta_schema.plugin.spark import SparkWatch

            self.spark_watch = SparkWatch()
        self.spark_watch.watch(fixture, spark)

    @property
    def has_reports(self) -> bool:
        """Whether the run writes reports, or a hook of the project reads them."""
        hook = self._config.hook.pytest_delta_schema_report
        return bool(self.options.reports or hook.get_hookimpls()) and self.options.mode not in WRITES_MODELS

    def refuse(self, faults: Iterable[str]) -> None:
        """Make the run, if it has begun, end with a usage error; the caller stops it."""
        self.refusals += [fault for fault in faults if fault not in self.refusals]

    def declare(self, table: Table) -> Table:
        """Add a table, and return the one that was declared first under its name."""
        return self.tables.setdefault(table.name, table)

    def list_tables(self, path: Path, variable: str, tables: Iterable[Table]) -> None:
        """Note which tables of installed packages a variable lists, because they are reported there."""
        from pytest_delta_schema.engine.sources import SourceRoot

        sources = SourceRoot(self._config.rootpath)
        installed = [table for table in tables if not sources.is_own(table.origin.location)]
        if installed:
            from pytest_delta_schema.engine.source_map import Listing
            from pytest_delta_schema.models.declared_at import FileVersion

            listing = Listing(path=str(path), variable=variable, version=FileVersion.of(str(path)))
            for table in installed:
                self.listings.setdefault(table.name, listing)

    @cached_property
    def is_selected(self) -> Callable[[Collection[str]], bool] | None:
        """Which checks ``-m`` selects by their marks; others are not made. ``None`` if pytest has to decide.

        So it has if the expression names marks of others, which may be added later. A comparison with contracts looks
        at the items of all tables.
        """
        return None if self.options.against else mark_selector(self._config.getoption("markexpr") or "", PYTEST_MARKS)

    @cached_property
    def data_contracts(self) -> DataContracts:
        """The data contracts of the project."""
        from pytest_delta_schema.engine.data_contracts import DataContracts

        options = self.options
        comments = options.values["odcs_comments"]
        return DataContracts(options.data_contracts, options.settings, with_comments=comments)

    def uncovered_lines(self) -> list[str]:
        """Return a line if some models have no data contract although the project has such contracts."""
        contracts = self.data_contracts if self.options.data_contracts else None
        number = 0 if contracts is None else sum(not contracts.describes(table) for table in self.tables.values())
        return [f"odcs: {counted(number, 'model')} without a data contract"] if number else []

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        settings: Settings = self._pushed.settings()
        return settings

    @cached_property
    def progress(self) -> ApplyProgress:
        """The progress of the applies of the run."""
        from pytest_delta_schema.engine.apply_progress import ApplyProgress

        return ApplyProgress()

    @cached_property
    def declarations(self) -> Declarations:
        """All collected tables under the settings of the run."""
        from pytest_delta_schema.engine.declarations import Declarations

        return Declarations(self.settings, self.tables, self.listings)

    def gate(self, catalog: Catalog) -> Gate:
        """Return the gate over a catalog, which reads the selected tables once."""
        # A gate refers to its catalog, so no other catalog can get its ``id``.
        gate = self._gates.get(id(catalog))
        if gate is None:
            from pytest_delta_schema.engine.gate import Gate

            gate = self._gates[id(catalog)] = Gate(
                catalog, models=self.selected, declarations=self.declarations, reviewed=self.reviewed
            )
        return gate

    def plan_name(self) -> str:
        """Return the name and the digest of the plan file that the run has written, or applies; ``""`` for none."""
        plan = self.reviewed or self.planning
        return f"{PurePath(plan.file).name} ({plan.digest})" if plan is not None and plan.digest else ""

    def catalogs(self) -> list[Catalog]:
        """Return the catalogs over which the run has gates."""
        return [gate.catalog for gate in self._gates.values()]

    def forget_gates(self) -> None:
        """Drop cached catalog states before pytest shuts down."""
        self._gates.clear()

    def states(self, table: Table) -> tuple[TableState, TableState | None]:
        """Return what a valid model wants, and what was read of its table; ``None`` if no catalog was read."""
        gate = next((gate for gate in self._gates.values() if gate.is_read), None)
        if gate is not None:
            return gate.states(table)
        from pytest_delta_schema.state.desired import desired_state

        return desired_state(self.declarations.bound(table).table), None

    def require_comparison(self) -> ContractComparison:
        """Return the comparison with the contracts of the past, which the collection has made."""
        if self.comparison is None:
            msg = "nothing is compared, because another plugin has kept --delta-against from seeing the items"
            raise RuntimeError(msg)
        return self.comparison

    def used_consents(self) -> list[Consent]:
        """Return the consents that a table needed."""
        if not self.options.settings.consents:
            return []
        from pytest_delta_schema.engine.checks import used_consents

        used = [used_consents(gate) for gate in self._gates.values() if gate.is_read]
        if self.comparison is not None:
            used.append([*self.comparison.used])
        known = self.settings.consents if used else ()
        return [consent for consent in known if any(consent in consents for consents in used)]

    def unused_consents(self) -> list[Consent] | None:
        """Return the consents of the project that no table needed; ``None`` if it cannot be known."""
        if not self.settings.project_consents or self._config.args_source is self._config.ArgsSource.ARGS:
            return None
        from pytest_delta_schema.engine.checks import unused_consents

        unused = [unused_consents(gate) for gate in self._gates.values() if gate.is_read]
        if not unused or None in unused:
            return None
        return [consent for consent in unused[0] or () if all(consent in (other or ()) for other in unused)]


_ENDS_OF_TESTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


class RunHooks:
    """A plugin that is registered with the state of a run."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._run = run
        self._is_worker = is_worker(config)

    def pytest_report_header(self, config: pytest.Config) -> list[str]:
        """Name the file whose section configures the run, its mode, and what it compares with."""
        run, path = self._run, self._run.options.project_file
        lines = []
        if path is not None:
            shown = path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path
            lines.append(f"configured by {shown}")
        lines += [] if run.comparing is None else [f"against {label}" for label in run.comparing.labels]
        if run.reviewed is not None:
            tables = counted(len(run.reviewed.tables), "table")
            lines.append(f"plan {run.reviewed.file}, {tables}, digest {run.reviewed.digest[:12]}")
        if run.options.mode not in {None, AGAINST}:
            lines.append(_mode_and_catalog(config, run.options))
        if WITHOUT_WORKERS in config.stash:
            lines.append(config.stash[WITHOUT_WORKERS])
        return [printed(f"delta schema: {line}") for line in lines]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool | None:
        """List the catalog, and make an item for each table, with ``--delta-import``; nothing else is collected."""
        if self._run.importing is None:
            return None
        self._run.importing.collect(session)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Escape why something could not be collected, such as a name in the message of an error."""
        report = yield
        if report.failed:
            escape_collect_report(collector.config, report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Import the modules of the setting ``models`` by their dotted names, whatever ``python_files`` matches."""
        collectors = yield
        dotted = self._run.options.models.get(file_path)
        if dotted is None:
            return collectors
        from pytest_delta_schema.plugin.collection import models_module

        # A module of doctests is of another class.
        others = [collector for collector in collectors if type(collector) is not pytest.Module]
        return [*others, models_module(parent, file_path, dotted)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        """Compare the tables with contracts before others select items, and check the settings after them."""
        if self._run.comparing is not None:
            self._run.comparing.compare(session, items)
        if self._run.options.data_contracts and self._run.options.mode not in WRITES_MODELS and not only_shows(config):
            from pytest_delta_schema.plugin.collection import items_of_unknown

            items += items_of_unknown(session, self._run)
        result = yield
        self._check_collected(config, items)
        return result

    def _check_collected(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Warn of tables where none are collected, and stop a run whose settings do not fit what was collected."""
        if TABLE_MODULE in sys.modules:
            from pytest_delta_schema.plugin.model_files import warn_of_conftests

            warn_of_conftests(config)
        run = self._run
        if only_shows(config):
            return
        if run.options.contracts_only:
            from pytest_delta_schema.plugin.collection import deselect_other_tests

            run.other_tests = deselect_other_tests(config, items)
        if run.tables and run.options.settings.rules:
            # A worker of xdist cannot stop the run with a message: there, the checks that need the rules fail.
            faults = [] if is_worker(config) else rule_faults(run.options.settings.rules)
            if faults:
                raise pytest.UsageError(printed("\n".join(faults)))
        if run.reviewed is not None:
            from pytest_delta_schema.plugin.plans import faults_of_selection
            from pytest_delta_schema.plugin.summary import refuse

            refuse(config, items, [*faults_of_selection(config, run, run.reviewed, items)])
        if run.options.mode not in {None, IMPORT, AGAINST} and (run.settings.must_match or run.settings.bindings):
            from pytest_delta_schema.engine.checks import unmatched_consents
            from pytest_delta_schema.plugin.collection import bindings_that_fail
            from pytest_delta_schema.plugin.summary import refuse

            refuse(config, items, [*unmatched_consents(run.declarations), *bindings_that_fail(run)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Run checks without a catalog first, and tests that use the catalog after the checks that change it.

        Here no other plugin changes the order again, as ``--failed-first`` would. All tables that were selected are
        noted, so they can be read at once.
        """
        run = self._run
        if run.tables:
            from pytest_delta_schema.plugin.collection import (
                changing_items,
                freeze_after_collection,
                selected_tables,
                sort_items,
                tables_with_rules,
            )

            session.items[:] = sort_items(session.items, run)
            run.selected, run.checked_by_rules = selected_tables(session.items), tables_with_rules(session.items)
            run.changing = changing_items(session.items, run)
            freeze_after_collection(session)
        if run.results is not None:
            run.results.select(item.nodeid for item in session.items)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start the session of a catalog that a test uses, and stop a test whose session another test stopped."""
        if "delta_catalog" in getattr(item, "fixturenames", ()) and not is_check(item):
            from pytest_delta_schema.plugin.catalogs import start_for_test

            start_for_test(self._run)
        watch = self._run.spark_watch
        fault = None if watch is None else watch.fault(getattr(item, "fixturenames", ()))
        if fault:
            raise CatalogUnavailable(fault)

    @pytest.hookimpl(specname="pytest_runtest_setup", trylast=True)
    def pytest_prepare_check(self, item: pytest.Item) -> None:
        """Finish the set-up of a check, after that of its fixtures."""
        if hasattr(item, "prepare_delta_check"):
            item.prepare_delta_check()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show once a run, and not once a worker of xdist, why a catalog is not available; give failures colours.

        A failed check has them wherever it is shown on a terminal; other texts of it stay plain.
        """
        node = getattr(report, "node", None)
        if node is not None and report.failed:
            show_once(node.config, report)
        if report.failed and is_of_check(report) and not self._is_worker:
            show_lines_with(report, markup_of)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
        """Send what a check has shown with the report of its item."""
        data = yield
        if data is not None:
            from pytest_delta_schema.plugin.outcomes import make_serialisable

            make_serialisable(data)
        return data

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None, object, object]:
        """Run before syrupy, and prevent it from deleting or reporting snapshots of tests that did not run."""
        config, run = session.config, self._run
        if run.importing is not None:
            run.importing.finish()
        updates = getattr(config.option, "update_snapshots", False)
        if not (updates or run.tables or run.refusals or _has_workers(config)):
            return (yield)
        from pytest_delta_schema.plugin.syrupy_compat import (
            corrected_report,
            find_no_unused,
            mark_as_skipped,
            protect_after_run,
        )

        if updates:
            protect_after_run(session, exitstatus)
        mark_as_skipped(config, run.without_snapshot)
        stopped = config.option.collectonly or exitstatus not in _ENDS_OF_TESTS
        # A run that writes models, and the parent of pytest-forked, compare no snapshot, and know of no unused one.
        compares_none = run.options.mode in WRITES_MODELS or getattr(config.option, "forked", False)
        leaves_out = run.is_selected is not None and not self._is_worker
        if run.refusals or compares_none or leaves_out or (stopped and not is_distributed(config)):
            find_no_unused(config)
        with corrected_report():
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, config: pytest.Config, terminalreporter: pytest.TerminalReporter) -> None:
        """Name unused files before the report of syrupy; no check and no report needs the states of tables any more."""
        from pytest_delta_schema.plugin.syrupy_compat import report_no_unused, unused_lines

        report_no_unused(config)
        for line in unused_lines(config):
            terminalreporter.write_line(line)
        self._run.forget_gates()
        job = self._run.importing or self._run.adopting
        if job is not None:
            show_section(terminalreporter, [*job.summary_lines()])
        elif not self._run.has_summary:
            show_section(terminalreporter, self._run.uncovered_lines())


def _mode_and_catalog(config: pytest.Config, options: Options) -> str:
    """Return what the header says about the mode of a run and its catalog."""
    mode, where = options.mode, backend_and_location(config, options)
    if mode in WRITES_MODELS:
        return f"{mode} from {where}"
    modes = mode if mode == ENFORCE or not options.enforces else f"{mode} and {ENFORCE}"
    syncs = mode == DRIFT and "on-read" in options.values["sync"]
    wrote = "; catalog entries of what is read are synchronised with the logs first" if syncs else ""
    return f"{modes} on {where}{wrote}"


def _has_workers(config: pytest.Config) -> bool:
    """Whether xdist distributes tests; the process that controls workers collects no tables, and reports snapshots."""
    manager = config.pluginmanager
    return manager.hasplugin("syrupy") and manager.hasplugin("xdist") and is_distributed(config)


def complete_report(
    report: pytest.TestReport, run: ContractRun, item: pytest.Item, call: pytest.CallInfo[None]
) -> None:
    """Attach the outcome of a check to its report, and report once a run why a catalog is not available."""
    if run.spark_watch is not None:
        run.spark_watch.look(report)
    kind = getattr(item, "check_kind", None)
    if kind is not None and run.results is not None:
        from pytest_delta_schema.plugin.outcomes import attach

        attach(item, report, kind)
    if call.excinfo is not None:
        report_error(item, report, call.excinfo.value)
    if report.sections and run.has_started_spark:
        without_start_line(report)
    if call.excinfo is not None or report.sections:
        escape_report(item, report, None if call.excinfo is None else call.excinfo.value)
