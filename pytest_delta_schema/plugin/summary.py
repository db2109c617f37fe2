"""Collect the outcomes of a run with a catalog, and show them at its end; stop a run with refusals."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.text import escaped, printed, printed_line
from pytest_delta_schema.engine.outcomes import CheckKind, Status
from pytest_delta_schema.plan.actions import CreateTable, SchemaMissing
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.failures import CHECK, PREFIX, UNUSED, cause_of, one_line, properties_of
from pytest_delta_schema.plugin.options import AGAINST, APPLY, DRIFT, ENFORCE, backend_and_location, chosen_catalog
from pytest_delta_schema.plugin.outcomes import error_outcome, notes_text, outcome_of
from pytest_delta_schema.plugin.registration import COMPARISON, RUN
from pytest_delta_schema.plugin.terminal import markup_of
from pytest_delta_schema.report.text import TO_ACCEPT, TO_ALIGN, applied_summary, comparison_notes, counted, headline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.rules.consent import Consent


_REFUSED, _UNUSED, _DESELECTED = "delta_schema_refused", "delta_schema_unused", "delta_schema_deselected"
_OTHER_TESTS = "delta_schema_other_tests"
_REFUSED_HERE = pytest.StashKey[list[str]]()


def refuse(config: pytest.Config, items: list[pytest.Item], faults: list[str]) -> None:
    """Stop the run with a usage error if there are faults, also from within a worker of xdist, which can only report.

    In a worker the items are removed, so nothing runs.
    """
    if not faults:
        return
    if not is_worker(config):
        raise pytest.UsageError(printed("\n".join(map(escaped, faults))))
    items.clear()
    note_refusals(config, faults)


def note_refusals(config: pytest.Config, faults: list[str]) -> None:
    """Make a run that has begun end with a usage error; the caller stops it."""
    config.stash[RUN].is_refused = True
    if is_worker(config):
        config.workeroutput[_REFUSED] = faults  # type: ignore[attr-defined]
    else:
        config.stash[_REFUSED_HERE] = faults


_OWN_CODE = re.compile(r"D[CDS]\d{3}")
_SHOWN_CODES = 3
_DESELECTING = {"keyword": "-k", "markexpr": "-m", "deselect": "--deselect", "lf": "--lf", "stepwise": "--stepwise"}
"""The options of pytest that deselect items, by their names in its configuration."""


class Summary:
    """Collects the outcomes of a run with a catalog, also those of the workers of xdist, and shows them."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self._config = config
        self._options = options
        self._checks = {
            *([CheckKind.ENFORCES.value] if options.enforces else []),
            *([CheckKind.COMPAT.value] if options.against else []),
            *([options.mode] if options.mode not in {ENFORCE, AGAINST} else []),
        }
        self._outcomes: dict[str, TableOutcome] = {}
        self._unreported: dict[str, TableOutcome] = {}
        self._checked = 0
        self._deselected = 0
        self._other_tests = 0
        self._found_nothing = False
        self._refused: list[str] = []
        self._unused_consents: list[list[str]] = []
        self._unused: dict[str, None] = {}

    def ended(self) -> set[str]:
        """Return the names of the models whose check has ended."""
        return {outcome.table for outcome in self._outcomes.values()}

    def note_unreported(self, node_id: str, outcome: TableOutcome) -> None:
        """Note the outcome of a change that was made before its item, which may not run any more."""
        self._outcomes[node_id] = self._unreported[node_id] = outcome

    def pytest_report_header(self) -> str | None:
        """Name the mode of the run and its catalog, if it uses one."""
        if self._options.mode == AGAINST:
            return None
        mode = self._options.mode
        modes = mode if mode == ENFORCE or not self._options.enforces else f"{mode} and {ENFORCE}"
        syncs = mode == DRIFT and "on-read" in self._options.values["sync"]
        wrote = "; catalog entries of what is read are synchronised with the logs first" if syncs else ""
        return printed(f"delta schema: {modes} on {backend_and_location(self._config, self._options)}{wrote}")

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Count the checks that do not run."""
        checks = {(PREFIX + CHECK, check) for check in self._checks}
        self._deselected += sum(not checks.isdisjoint(item.user_properties) for item in items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the outcome that a report carries."""
        properties = properties_of(report)
        if properties.get(CHECK) not in self._checks:
            return
        self._checked += 1
        self._unreported.pop(report.nodeid, None)
        self._unused |= dict.fromkeys(str(value) for name, value in report.user_properties if name == PREFIX + UNUSED)
        outcome = None if cause_of(report) else outcome_of(report)
        if outcome is None and report.nodeid not in self._outcomes:
            outcome = error_outcome(self._config, report)
        if outcome is not None:
            self._outcomes[report.nodeid] = outcome

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Collect what a worker of xdist refused, the consents that it did not need, and the checks it did not run."""
        output = getattr(node, "workeroutput", {})
        self._deselected = max(self._deselected, output.get(_DESELECTED, 0))
        self._other_tests = max(self._other_tests, output.get(_OTHER_TESTS, 0))
        if output.get(_UNUSED) is not None:
            self._unused_consents.append(output[_UNUSED])
        faults = output.get(_REFUSED, [])
        self._refused.extend(fault for fault in faults if fault not in self._refused)
        self._config.stash[RUN].is_refused |= bool(faults)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a gate that found no table, because nothing was checked."""
        here: list[str] = self._config.stash.get(_REFUSED_HERE, [])
        self._refused.extend(here)
        if self._refused:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return
        self._require_used_consents(session)
        self._other_tests = max(self._other_tests, self._config.stash[RUN].other_tests)
        if is_worker(self._config):
            self._config.workeroutput[_DESELECTED] = self._deselected  # type: ignore[attr-defined]
            self._config.workeroutput[_OTHER_TESTS] = self._other_tests  # type: ignore[attr-defined]
        green = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        looked = is_worker(self._config) or self._config.option.collectonly
        if green and not looked and not self._checked:
            self._found_nothing = True
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _require_used_consents(self, session: pytest.Session) -> None:
        """Fail a run that did not need a consent of the project's file, because a used consent has to be removed."""
        unused = self._config.stash[RUN].unused_consents()
        texts = None if unused is None else list(map(str, unused))
        if is_worker(self._config):
            self._config.workeroutput[_UNUSED] = texts  # type: ignore[attr-defined]
        elif texts is not None:
            self._unused_consents.append(texts)
        if self.unused_consents() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def unused_consents(self) -> list[Consent]:
        """Return the consents that were not needed, on which all processes agree that read every table."""
        texts = self._unused_consents or [[]]
        consents = self._options.settings.project_consents
        return [consent for consent in consents if all(str(consent) in unused for unused in texts)]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the results of the checks, and the commands for the next step."""
        terminalreporter.ensure_newline()
        if self._refused or self._found_nothing:
            terminalreporter.section("delta schema", red=True, bold=True)
            for line in self._refused or [self._nothing(), *self._tests_that_did_not_run()]:
                terminalreporter.write_line(printed_line(line))
        elif self._outcomes:
            terminalreporter.section("delta schema")
            for line in self._lines():
                terminalreporter.write_line(printed_line(line), **markup_of(line))

    def _lines(self) -> list[str]:
        lines = [*self._counts()]
        tables: list[str] = []
        verbosity = self._config.get_verbosity()
        kinds = list(CheckKind)
        # Workers end the checks of a table in any order.
        for outcome in sorted(self._outcomes.values(), key=lambda one: (one.table, kinds.index(one.check))):
            if not outcome.status.passes:
                line = f"  {outcome.label:<10}  {one_line([headline(outcome)]) or outcome.table}"
                # A cause that several tables share is one line.
                tables += [] if line in tables else [line]
            elif outcome.status is Status.APPLIED:
                name, *changes = applied_summary(outcome, with_sql=verbosity > 0).split("\n")
                changes = changes if verbosity >= 0 else []
                tables += [f"  {outcome.label:<10}  {name}", *(f"  {line}" if line else "" for line in changes)]
            elif outcome.label != outcome.status.value and verbosity >= 0:
                tables.append(f"  {outcome.label}  {outcome.stored_as}")
            if verbosity >= 0:
                tables += note_lines(outcome)
        lines += [*tables, *self._tests_that_did_not_run()]
        lines += [f"  {'unused':<10}  {message}" for message in (*self._unused_messages(), *self._unused)]
        comparison: Any = self._config.pluginmanager.getplugin(COMPARISON)
        if comparison is not None:
            lines += comparison.summary_lines(is_whole=not self._deselected)
        for word, check in (("created", CheckKind.APPLY), ("synced", CheckKind.METADATA)):
            names = ", ".join(sorted(made.table for made in self._unreported.values() if made.check is check))
            if names:
                lines.append(f"  {word:<10}  before their checks, which did not run: {names}")
        lines += self._commands()
        codes = self._codes()
        if codes:
            lines.append(f"what a code means: delta-schema explain {','.join(codes)}")
        return lines

    def _counts(self) -> Iterator[str]:
        """Yield how many tables have each status, a line for each kind of check."""
        tried, compared = self._of_check(CheckKind.ENFORCES), self._of_check(CheckKind.COMPAT)
        schemas = self._of_check(CheckKind.UNMANAGED)
        others = [outcome for outcome in self._outcomes.values() if outcome not in (*tried, *compared, *schemas)]
        if others:
            ran = sum(_ran(outcome) for outcome in others)
            yield f"{self._options.mode}: {_by_status(others)}, {ran} statement{'' if ran == 1 else 's'} run"
        if schemas:
            holding = sum(schema.status is Status.DRIFTED or bool(schema.notes) for schema in schemas)
            yield f"{CheckKind.UNMANAGED.value}: {counted(len(schemas), 'schema')}, {holding} with undeclared tables"
        if tried:
            yield f"{ENFORCE}: {_by_status(tried)}"
        if compared:
            yield f"{AGAINST} {', '.join(self._options.against)}: {_by_status(compared)}"

    def _of_check(self, check: CheckKind) -> list[TableOutcome]:
        return [outcome for outcome in self._outcomes.values() if outcome.check is check]

    def _commands(self) -> Iterator[str]:
        """Yield the commands that would make the tables of the run pass."""
        catalog = chosen_catalog(self._config)
        failed = [outcome for outcome in self._outcomes.values() if not outcome.status.passes]
        drifted = any(
            failure.status is Status.DRIFTED and failure.check is not CheckKind.UNMANAGED for failure in failed
        )
        if drifted and self._options.mode != APPLY:
            yield f"{TO_ALIGN}{catalog}"
        differing = {change.code for outcome in failed for change in outcome.changes}
        if self._options.mode == DRIFT and differing - {SchemaMissing.code, CreateTable.code}:
            yield f"{TO_ACCEPT}{catalog}"
        if any(failure.status is Status.STALE for failure in failed):
            yield f"to synchronise catalog entries with the logs: pytest --delta-sync-metadata{catalog}"

    def _tests_that_did_not_run(self) -> Iterator[str]:
        """Yield one line for all tests that are not contracts, if there are any."""
        if self._other_tests:
            yield (
                f"{counted(self._other_tests, 'other test')} did not run, because --delta-{self._options.mode} on the"
                " command line runs contracts only; to run all tests: pytest"
            )

    def _codes(self) -> list[str]:
        """Return the first few codes of this package in what failed: those of diagnostics, then those of changes."""
        failed = [outcome for outcome in self._outcomes.values() if not outcome.status.passes]
        diagnostics = (diagnostic.code for outcome in failed for diagnostic in outcome.diagnostics)
        changes = (change.code for outcome in failed for change in outcome.changes)
        return [code for code in dict.fromkeys((*diagnostics, *changes)) if _OWN_CODE.fullmatch(code)][:_SHOWN_CODES]

    def _unused_messages(self) -> list[str]:
        consents = self.unused_consents()
        if not consents:
            return []
        from pytest_delta_schema.engine.checks import unused_message

        return list(map(unused_message, consents))

    def _nothing(self) -> str:
        option = self._config.option
        if self._deselected:
            used = " and ".join(name for attribute, name in _DESELECTING.items() if getattr(option, attribute, None))
            return (
                f"--delta-{self._options.mode} checked nothing, because all its checks ({self._deselected}) were"
                f" deselected by {used or 'another plugin'}; leave that out, or select some of them"
            )
        arguments = ", ".join(self._config.args)
        patterns = " ".join(self._config.getini("python_files"))
        models = " ".join(self._options.models.values()) or "empty"
        return (
            f"--delta-{self._options.mode} found no table, so nothing was checked. It looked in {arguments}:"
            f" in test files ({patterns}) and in the modules of the setting models ({models}), less what -k, -m or"
            " paths deselect. Name the modules that declare tables in pyproject.toml:"
            ' [tool.pytest_delta_schema] models = ["shop.models"]; or list their tables in a test file:'
            " delta_tables = [...]"
        )


def note_lines(outcome: TableOutcome) -> list[str]:
    """Return the notes of an outcome: one line, or one for each verdict of a comparison."""
    if outcome.check is CheckKind.COMPAT:
        return [f"  {word:<10}  {line}" for word, line in comparison_notes(outcome)]
    notes = notes_text(outcome)
    return [f"  {'note':<10}  {notes}"] if notes else []


def _by_status(outcomes: Iterable[TableOutcome]) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    return ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])


def _ran(outcome: TableOutcome) -> int:
    return sum(statement.has_run for statement in outcome.statements)
