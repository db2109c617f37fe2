"""Say at the end of a run with a catalog what its checks have shown; stop a run with refusals."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.backends.backend import find_backend
from pytest_delta_schema.diagnostics.text import counted, escaped, printed, printed_line
from pytest_delta_schema.engine.outcomes import CheckKind, Status, worst
from pytest_delta_schema.plan.actions import CreateTable, SchemaMissing
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.failures import one_line
from pytest_delta_schema.plugin.options import AGAINST, APPLY, DRIFT, ENFORCE, SELECTING, chosen_catalog
from pytest_delta_schema.plugin.outcomes import notes_text
from pytest_delta_schema.plugin.registration import RUN
from pytest_delta_schema.plugin.terminal import markup_of
from pytest_delta_schema.report.text import (
    TO_ACCEPT,
    TO_ALIGN,
    TO_ALIGN_ELSEWHERE,
    applied_summary,
    comparison_notes,
    headline,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.plugin.results import RunResults
    from pytest_delta_schema.plugin.run import ContractRun


def refuse(config: pytest.Config, items: list[pytest.Item], faults: list[str]) -> None:
    """Stop the run with a usage error if there are faults, also from within a worker of xdist, which can only report.

    In a worker the items are removed, so nothing runs.
    """
    if not faults:
        return
    if not is_worker(config):
        raise pytest.UsageError(printed("\n".join(map(escaped, faults))))
    items.clear()
    config.stash[RUN].refuse(faults)


_OWN_CODE = re.compile(r"D[CDS]\d{3}")
_SHOWN_CODES = 3


def show_summary(config: pytest.Config, run: ContractRun, results: RunResults) -> None:
    """Show the results of the checks with a catalog, and the commands for the next step."""
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    summary = Summary(config, run, results)
    if run.refusals or results.found_nothing:
        reporter.ensure_newline()
        reporter.section("delta schema", red=True, bold=True)
        for line in run.refusals or summary.nothing():
            reporter.write_line(printed_line(line))
    elif summary.outcomes:
        reporter.ensure_newline()
        reporter.section("delta schema")
        for line in summary.lines():
            reporter.write_line(printed_line(line), **markup_of(line))


class Summary:
    """What the end of a run says about its results."""

    def __init__(self, config: pytest.Config, run: ContractRun, results: RunResults) -> None:
        self.outcomes = results.outcomes()
        self._config = config
        self._run = run
        self._options = run.options
        self._results = results

    def lines(self) -> list[str]:
        """Return the lines of the section."""
        lines = [*self._counts()]
        tables: list[str] = []
        verbosity = self._config.get_verbosity()
        kinds = list(CheckKind)
        # Workers end the checks of a table in any order.
        for outcome in sorted(self.outcomes.values(), key=lambda one: (one.table, kinds.index(one.check))):
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
        lines += [f"  {'unused':<10}  {message}" for message in (*self._unused_messages(), *self._run.notes)]
        if self._run.comparing is not None:
            lines += self._run.comparing.summary_lines(self._results)
        for word, check in (("created", CheckKind.APPLY), ("synced", CheckKind.METADATA)):
            early = [made for name, made in self._results.unreported.items() if name not in self._results.items]
            names = ", ".join(sorted(made.table for made in early if made.check is check))
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
        apart = {CheckKind.ENFORCES, CheckKind.COMPAT, CheckKind.UNMANAGED}
        others = [outcome for outcome in self.outcomes.values() if outcome.check not in apart]
        if others:
            ran = sum(_ran(outcome) for outcome in others)
            tables: dict[str, list[TableOutcome]] = {}
            for outcome in others:
                tables.setdefault(outcome.table, []).append(outcome)
            statuses = _by_status(map(worst, tables.values()))
            yield f"{self._options.mode}: {statuses}, {counted(ran, 'statement')} run"
        if schemas:
            holding = sum(schema.status is Status.DRIFTED or bool(schema.notes) for schema in schemas)
            yield f"{CheckKind.UNMANAGED.value}: {counted(len(schemas), 'schema')}, {holding} with undeclared tables"
        if tried:
            yield f"{ENFORCE}: {_by_status(tried)}"
        if compared:
            yield f"{AGAINST} {', '.join(self._options.against)}: {_by_status(compared)}"
        yield from self._run.uncovered_lines()

    def _of_check(self, check: CheckKind) -> list[TableOutcome]:
        return [outcome for outcome in self.outcomes.values() if outcome.check is check]

    def _commands(self) -> Iterator[str]:
        """Yield the commands that would make the tables of the run pass."""
        catalog = chosen_catalog(self._config)
        failed = [outcome for outcome in self.outcomes.values() if not outcome.status.passes]
        drifted = any(
            failure.status is Status.DRIFTED and failure.check is not CheckKind.UNMANAGED for failure in failed
        )
        if drifted and self._options.mode != APPLY:
            only_reads = find_backend(self._options.backend).only_reads
            yield TO_ALIGN_ELSEWHERE if only_reads else f"{TO_ALIGN}{catalog}"
        differing = {change.code for outcome in failed for change in outcome.changes}
        if self._options.mode == DRIFT and differing - {SchemaMissing.code, CreateTable.code}:
            yield f"{TO_ACCEPT}{catalog}"
        if any(failure.status is Status.STALE for failure in failed):
            yield f"to synchronise catalog entries with the logs: pytest --delta-sync-metadata{catalog}"

    def _tests_that_did_not_run(self) -> Iterator[str]:
        """Yield one line for all tests that are not contracts, if there are any."""
        if self._results.other_tests:
            others = counted(self._results.other_tests, "other test")
            yield (
                f"{others} did not run, because --delta-{self._options.mode} on the command line runs contracts only;"
                " to run all tests: pytest"
            )

    def _codes(self) -> list[str]:
        """Return the first few codes of this package in what failed: those of diagnostics, then those of changes."""
        failed = [outcome for outcome in self.outcomes.values() if not outcome.status.passes]
        diagnostics = (diagnostic.code for outcome in failed for diagnostic in outcome.diagnostics)
        changes = (change.code for outcome in failed for change in outcome.changes)
        return [code for code in dict.fromkeys((*diagnostics, *changes)) if _OWN_CODE.fullmatch(code)][:_SHOWN_CODES]

    def _unused_messages(self) -> list[str]:
        consents = self._results.unused_consents()
        if not consents:
            return []
        from pytest_delta_schema.engine.checks import unused_message

        return list(map(unused_message, consents))

    def nothing(self) -> list[str]:
        """Return why a run checked nothing, and which tests it left out."""
        return [self._nothing(), *self._tests_that_did_not_run()]

    def _nothing(self) -> str:
        option = self._config.option
        if self._results.deselected:
            used = " and ".join(name for attribute, name in SELECTING.items() if getattr(option, attribute, None))
            return (
                f"--delta-{self._options.mode} checked nothing, because all its checks ({self._results.deselected})"
                f" were deselected by {used or 'another plugin'}; leave that out, or select some of them"
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
