"""Write the plan of a run to a file, and read the one that an apply runs: ``--delta-plan-out`` and ``--delta-plan``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import __version__
from pytest_delta_schema.diagnostics.errors import ConfigurationError, os_error_text
from pytest_delta_schema.diagnostics.text import counted, printed
from pytest_delta_schema.engine.outcomes import CheckKind, Status
from pytest_delta_schema.engine.plan_file import (
    PLAN_START,
    capabilities_json,
    declared_digest,
    plan_settings,
    plan_text,
    read_plan,
    table_json,
)
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.items import ContractItem
from pytest_delta_schema.plugin.options import SELECTING, chosen_catalog
from pytest_delta_schema.plugin.registration import PLANNED
from pytest_delta_schema.plugin.reports import WrittenReports
from pytest_delta_schema.report.json_report import write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.engine.outcomes import CheckResult
    from pytest_delta_schema.engine.plan_file import PlannedTable, ReviewedPlan
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.plugin.results import RunResults
    from pytest_delta_schema.plugin.run import ContractRun


_OF_OTHER_THINGS = (CheckKind.METADATA, CheckKind.UNMANAGED, CheckKind.ENFORCES)
"""The checks whose failure says nothing about the plan of a table."""


class PlanWriting:
    """A run with ``--delta-plan-out``."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        """Remove the plan of an earlier run, so that there is one after this run only if this run has made it."""
        self.digest = ""
        """The digest of the plan that was written; ``""`` before that."""
        self.file = run.options.plan_out
        self._config = config
        self._run = run
        self._path = Path(config.invocation_params.dir, self.file)
        if is_worker(config) or config.option.collectonly:
            return
        try:
            if self._path.is_file():
                with self._path.open("rb") as old:
                    is_plan = old.read(len(PLAN_START)) in {PLAN_START, b""}
                if not is_plan:
                    msg = f"--delta-plan-out: {self.file} exists and is not a plan file; choose a different name"
                    raise pytest.UsageError(printed(msg))
                self._path.unlink()
        except OSError as error:
            raise pytest.UsageError(printed(f"--delta-plan-out: {_fault(error)}")) from None

    def note(self, item: pytest.Item, planned: PlannedTable | None, catalog: Catalog | None) -> None:
        """Keep the plan of the table of an item, which its report carries; ``None`` for a table without a plan."""
        if planned is None:
            item.stash[PLANNED] = {"refused": ["it cannot be planned"]}
            return
        follow = self._run.settings.checks_follow
        capabilities = None if catalog is None else catalog.capabilities
        item.stash[PLANNED] = {
            "capabilities": capabilities_json(capabilities, checks_follow=follow),
            "refused": list(planned.refused),
            "table": table_json(planned),
        }

    def write(self, results: RunResults) -> WrittenReports:
        """Write the plan of all tables, or say why there is none."""
        items = [results.items[node_id] for node_id in sorted(results.items)]
        reasons = [*dict.fromkeys(self._reasons(results, items))]
        if reasons:
            lines = [printed(f"delta schema: no plan was written to {self.file}: {reason}") for reason in reasons]
            return WrittenReports(lines, is_whole=False)
        planned = [item.planned for item in items if item.planned is not None]
        text, digest = plan_text(
            tool_version=__version__,
            settings=plan_settings(self._run.settings),
            capabilities=planned[0]["capabilities"],
            tables=[entry["table"] for entry in planned],
        )
        try:
            write_file(self._path, text)
        except OSError as error:
            return WrittenReports([printed(f"delta schema: {_fault(error)}")], is_whole=False)
        self.digest = digest
        tables = counted(len(planned), "table")
        apply = f"pytest --delta-apply --delta-plan={self.file}{chosen_catalog(self._config)}"
        lines = [f"delta schema: plan of {tables} written to {self.file}, digest {digest}", f"to apply it: {apply}"]
        return WrittenReports(list(map(printed, lines)), is_whole=True)

    def _reasons(self, results: RunResults, items: Iterable[CheckResult]) -> Iterator[str]:
        """Yield why the run has no whole plan."""
        if self._run.refusals or not results.is_complete:
            yield "the run ended before every table was planned"
        capabilities = []
        for item in items:
            planned, result = item.planned or {}, item.result
            has_drifted = item.check is CheckKind.DRIFT and result is not None and result.status is Status.DRIFTED
            if item.outcome in {"failed", "error"} and item.check not in _OF_OTHER_THINGS and not has_drifted:
                yield f"the check {item.check.value} of {item.table} fails"
            yield from (f"{item.table}: {reason}" for reason in planned.get("refused", ()))
            capabilities += [planned["capabilities"]] if "capabilities" in planned else []
        if not capabilities:
            yield "no table was planned"
        elif any(other != capabilities[0] for other in capabilities):
            yield "its tables are in catalogs with different capabilities; plan those of one catalog at a time"


def _fault(error: OSError) -> str:
    return f"the plan cannot be written: {os_error_text(error)}; make the path writable, or choose a different name"


def reviewed_plan(config: pytest.Config, file: str) -> ReviewedPlan:
    """Read the plan of a file; the run ends with a usage error if there is none."""
    try:
        return read_plan(Path(config.invocation_params.dir, file), file)
    except ConfigurationError as error:
        raise pytest.UsageError(printed(f"--delta-plan: {error}")) from None


def faults_of_selection(
    config: pytest.Config, run: ContractRun, reviewed: ReviewedPlan, items: Iterable[pytest.Item]
) -> Iterator[str]:
    """Yield why the tables of a run are not those of a plan: tables without a model, changed models, other tables."""
    file, planned, declarations = reviewed.file, reviewed.plan.by_name, run.declarations
    selected = {item.table.name for item in items if isinstance(item, ContractItem) and item.check.name == "apply"}
    unknown = [name for name in planned if name not in run.tables]
    left_out = [name for name in planned if name in run.tables and name not in selected]
    changed = [
        name
        for name, table in run.tables.items()
        if name in planned
        and not declarations.violations(table)
        and declared_digest(declarations.contract_state(table)) != planned[name].declared
    ]
    if unknown:
        other = " is the plan of another project:" if len(unknown) == len(planned) else " is stale:"
        remedy = f"run it with all models of the project, or {reviewed.remedy}"
        yield f"{file}{other} no model of this run declares {', '.join(map(str, unknown))}; {remedy}"
    if left_out:
        used = " and ".join(option for name, option in SELECTING.items() if getattr(config.option, name, None))
        names = ", ".join(map(str, left_out))
        yield f"{file} is applied as a whole, and {used or 'a plugin'} leaves out {names}; leave that out"
    if changed:
        names = ", ".join(sorted(map(str, changed)))
        fact = f"{file} is stale: what is declared of {names} has changed since the plan was made"
        yield f"{fact}, by the models or by default_properties or clients of the project; {reviewed.remedy}"
