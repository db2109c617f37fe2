"""Write the plan of a run to a file, and read the one that an apply runs: ``--delta-plan-out`` and ``--delta-plan``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema import __version__
from pytest_delta_schema.diagnostics.errors import ConfigurationError, os_error_text
from pytest_delta_schema.diagnostics.text import counted, printed
from pytest_delta_schema.engine.outcomes import CheckKind, Status
from pytest_delta_schema.engine.plan_file import (
    PLAN_START,
    declared_digest,
    plan_settings,
    plan_text,
    read_plan,
)
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.items import ContractItem
from pytest_delta_schema.plugin.options import SELECTING, chosen_catalog
from pytest_delta_schema.report.json_report import write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.engine.plan_file import PlanFile
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
        self.file: str = run.options.values["plan_out"]
        self._config = config
        self._run = run
        self._path = Path(config.invocation_params.dir, self.file)
        self._writes = not (is_worker(config) or config.option.collectonly)
        try:
            if self._writes and self._path.is_file():
                with self._path.open("rb") as old:
                    if old.read(len(PLAN_START)) not in {PLAN_START, b""}:
                        msg = f"--delta-plan-out: {self.file} exists and is not a plan file; choose a different name"
                        raise pytest.UsageError(printed(msg))
                self._path.unlink()
        except OSError as error:
            raise pytest.UsageError(printed(f"--delta-plan-out: {_fault(error)}")) from None

    def write(self, results: RunResults, lines: list[str]) -> bool:
        """Write the plan of all tables, or say in ``lines`` why there is none; return whether the run need not fail."""
        if not self._writes:
            return True
        entries: dict[str, Mapping[str, Any]] = {}
        reasons = [*dict.fromkeys(self._reasons(results, entries))]
        planned = [*entries.values()]
        if not reasons:
            text, digest = plan_text(
                tool_version=__version__,
                capabilities=planned[0]["capabilities"],
                settings=plan_settings(self._run.settings),
                tables=[entry["table"] for entry in planned],
            )
            try:
                write_file(self._path, text)
                self.digest = digest
            except OSError as error:
                reasons = [_fault(error)]
        tables, catalog = counted(len(planned), "table"), chosen_catalog(self._config)
        shown = [f"delta schema: no plan was written to {self.file}: {reason}" for reason in reasons] or [
            f"delta schema: plan of {tables} written to {self.file}, digest {self.digest[:12]}",
            f"to apply it: pytest --delta-apply --delta-plan={shlex.quote(self.file)}{catalog}",
        ]
        lines += map(printed, shown)
        return not reasons

    def _reasons(self, results: RunResults, planned: dict[str, Mapping[str, Any]]) -> Iterator[str]:
        """Yield why the run has no whole plan, and note what is planned of each table."""
        is_cut = bool(self._run.refusals) or not results.is_complete
        if is_cut:
            yield "the run ended before every table was planned"
        for _, item in sorted(results.items.items()):
            result = item.result
            entry = (result and result.planned) or {}
            has_drifted = item.check is CheckKind.DRIFT and result is not None and result.status is Status.DRIFTED
            if item.outcome in {"failed", "error"} and item.check not in _OF_OTHER_THINGS and not has_drifted:
                yield f"the check {item.check.value} of {item.table} fails"
            yield from (f"{item.table}: {reason}" for reason in entry.get("refused", ()))
            if "table" in entry:
                planned[item.table] = entry
        if not planned and not is_cut:
            yield "no table was planned"
        if len({str(entry["capabilities"]) for entry in planned.values()}) > 1:
            yield "its tables are in catalogs with different capabilities; plan those of one catalog at a time"


def _fault(error: OSError) -> str:
    return f"it cannot be written: {os_error_text(error)}; make the path writable, or choose a different name"


def reviewed_plan(config: pytest.Config, file: str) -> PlanFile:
    """Read the plan of a file; the run ends with a usage error if there is none."""
    try:
        return read_plan(Path(config.invocation_params.dir, file), file, chosen_catalog(config))
    except ConfigurationError as error:
        raise pytest.UsageError(printed(f"--delta-plan: {error}")) from None


def faults_of_selection(
    config: pytest.Config, run: ContractRun, reviewed: PlanFile, items: Iterable[pytest.Item]
) -> Iterator[str]:
    """Yield why the tables of a run are not those of a plan: tables without a model, changed models, other tables."""
    file, planned, declarations = reviewed.file, reviewed.by_name, run.declarations
    selected = {item.table.name for item in items if isinstance(item, ContractItem) and item.check.name == "apply"}
    known = {name: run.tables[name] for name in planned if name in run.tables}
    unknown = [str(name) for name in planned if name not in known]
    left_out = [str(name) for name in known if name not in selected]
    changed = [
        str(name)
        for name, table in known.items()
        if not declarations.violations(table)
        and declared_digest(declarations.contract_state(table)) != planned[name].declared
    ]
    if unknown:
        fault = "stale" if known else "the plan of another project"
        remedy = f"run it with all models of the project, or {reviewed.remedy}"
        yield f"{file} is {fault}: no model of this run declares {', '.join(unknown)}; {remedy}"
    if left_out:
        used = " and ".join(option for name, option in SELECTING.items() if getattr(config.option, name, None))
        fact = f"{file} is applied as a whole, and {used or 'a plugin'} leaves out {', '.join(left_out)}"
        yield f"{fact}; leave that out"
    if changed:
        fact = f"{file} is stale: what is declared of {', '.join(changed)} has changed since the plan was made"
        yield f"{fact}, by the models or by default_properties or clients of the project; {reviewed.remedy}"
