"""Accept drift into the source of models: once for all items of a catalog, each of which reports its own table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.diagnostics.escaping import printed, printed_line
from pytest_delta_schema.plugin.adoption.adopt_work import AdoptOptions, adopt_tables
from pytest_delta_schema.plugin.adoption.code_style import code_style
from pytest_delta_schema.plugin.adoption.model_faults import ModelFault, fail
from pytest_delta_schema.plugin.items.joint_items import share_a_catalog
from pytest_delta_schema.plugin.options.backend import location
from pytest_delta_schema.plugin.options.option_values import ADOPT
from pytest_delta_schema.plugin.options.registration import project_folder
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable
from pytest_delta_schema.plugin.source_links.source_root import SourceRoot
from pytest_delta_schema.report.text.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.plugin.adoption.adopt_work import AdoptOutcome
    from pytest_delta_schema.plugin.run.contract_run import ContractRun

WRITE = "write"
"""The value of ``--delta-adopt`` with which files are edited."""


class AdoptRun:
    """The hooks of a run with ``--delta-adopt``, and what its items share."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._options = AdoptOptions(
            writes=run.options.adopt == WRITE,
            style=code_style(project_folder(config)),
            root=config.rootpath,
            sources=SourceRoot(config.rootpath),
        )
        self._outcomes: dict[int, AdoptOutcome] = {}

    def require(self, item: pytest.Function, gate: Gate) -> None:
        """Accept the drift of all tables of a catalog, unless that was done, and report that of one item.

        Raises:
            CatalogUnavailable: If the catalog cannot be read.
            ContractFailure: If the table differs, and its model was not edited.
        """
        if id(gate) not in self._outcomes:
            tables = [other.cls.table for other in self._run.changing if share_a_catalog(item, other)]
            try:
                self._outcomes[id(gate)] = adopt_tables(gate, tables, self._options)
            except DeltaSchemaError as error:
                raise CatalogUnavailable(str(error)) from None
        outcome, model = self._outcomes[id(gate)], item.cls.table
        fault = outcome.faults.get(model.name)
        if fault is not None:
            fail(model.qualified_name, fault)
        adoption = outcome.adoptions.get(model.name)
        if adoption is None:
            return
        if not self._options.writes:
            lines = tuple(adoption.diff.splitlines())
            fail(model.qualified_name, ModelFault("its table differs; --delta-adopt=write makes this edit", lines))
        if adoption.drift.secrets:
            headline = f"accepted, but for what may be secret: {', '.join(adoption.drift.secrets)}"
            fail(model.qualified_name, ModelFault(headline, adoption.expected))

    def pytest_report_header(self) -> str:
        """Name the mode of the run and its catalog."""
        where = location(self._config, self._run.options)
        return printed(f"delta schema: {ADOPT} from {self._run.options.backend}{f', {where}' if where else ''}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the files that were edited, and what to do next."""
        lines = [line for outcome in self._outcomes.values() for line in self._lines(outcome)]
        if lines:
            terminalreporter.ensure_newline()
            terminalreporter.section("delta schema")
            for line in lines:
                terminalreporter.write_line(printed_line(line))

    def _lines(self, outcome: AdoptOutcome) -> Iterator[str]:
        adoptions, failed = outcome.adoptions, len(outcome.faults)
        accepted = "accepted and proven" if self._options.writes else "with differences that could be accepted"
        yield f"{ADOPT}: {counted(len(adoptions), 'table')} {accepted}{f', {failed} failed' if failed else ''}"
        files: dict[str, list[str]] = {}
        for name, adoption in sorted(adoptions.items()):
            files.setdefault(shown_path(adoption.path, self._config.rootpath), []).append(str(name))
        verb = "edited" if self._options.writes else "would edit"
        yield from (f"  {verb:<11} {file}: {', '.join(names)}" for file, names in sorted(files.items()))
        if files and self._options.writes:
            changed = " ".join(sorted(files))
            yield f"next: review git diff {changed}, then pytest --snapshot-update, then commit both"
        elif files:
            yield "next: pytest --delta-adopt=write makes these edits"
