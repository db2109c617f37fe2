"""The checks of one table: each is one test item, calls the engine, and turns its outcome into a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

import pytest

from pytest_delta_schema.assertions.catalog_notes import heal_entry, notes_of_entry, notes_of_origin
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.errors import ApplyError, DeltaSchemaError, UnsafePlanError
from pytest_delta_schema.execute.action_runner import ActionRunner
from pytest_delta_schema.execute.preflight import DATA_RULES, preflight
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plugin import report_properties as facts
from pytest_delta_schema.plugin.failures import ContractFailure, relative
from pytest_delta_schema.plugin.options import APPLY
from pytest_delta_schema.plugin.run import RUN
from pytest_delta_schema.report.text import headline, mismatch_text, plan_text, sql_text
from pytest_delta_schema.sql.compiler import script, statements
from pytest_delta_schema.sql.schemas_and_restores import restore_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.table_plan import TablePlan

_F = TypeVar("_F", bound="Callable[..., None]")


def check(function: _F) -> _F:
    """Make a method a check: an item of that name, whatever ``python_functions`` says, with its marks."""
    function.__test__ = True  # type: ignore[attr-defined]
    marked: _F = pytest.mark.delta(getattr(pytest.mark, f"delta_{function.__name__}")(function))
    return marked


class StandardContract:
    """What is checked of every table, without a catalog."""

    table: Table

    @check
    def rules(self, request: pytest.FixtureRequest) -> None:
        """The declaration breaks no rule."""
        _require_valid(self.table, request)

    @check
    def ddl(self, request: pytest.FixtureRequest, delta_snapshot: SnapshotAssertion) -> None:
        """The SQL that would create the table is the one that was reviewed."""
        from pytest_delta_schema.plugin.snapshots import mismatch

        _require_valid(self.table, request)
        creation = request.config.stash[RUN].creation(self.table)
        difference = mismatch(delta_snapshot, script(statements(creation)))
        if difference is not None:
            head, body = difference
            subject = f"{self.table.qualified_name}: {head}"
            raise ContractFailure(subject, body)


class DriftContract(StandardContract):
    """What is checked of every table with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def drift(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog holds what the model wants."""
        _require_valid(self.table, request)
        plan = _plan(self.table, request, delta_catalog)
        if not plan.is_empty:
            run = request.config.stash[RUN]
            violations = run.plan_violations(plan, delta_catalog)
            if not violations and run.options.preflight is not None:
                violations = _asked(self.table, request, delta_catalog, plan, run.options.preflight)
            _fail(self.table, request, delta_catalog, plan, violations)
        if plan.mismatches:
            _mismatched(self.table, request, delta_catalog, plan.mismatches[0])
        facts.record(request.node, outcome=facts.IN_SYNC)


class ApplyContract(StandardContract):
    """What is done to every table with ``--delta-apply``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def apply(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog is brought in line with the model, is read back, and holds what the model wants."""
        _require_valid(self.table, request)
        plan = _plan(self.table, request, delta_catalog)
        run = request.config.stash[RUN]
        if plan.is_empty:
            try:
                healed = heal_entry(run.bound(self.table), delta_catalog, run.state(delta_catalog))
            except DeltaSchemaError as error:
                broken(request, error, statements=0)
            facts.record(request.node, outcome=facts.SYNCED if healed else facts.IN_SYNC, statements=0)
            return
        tables = run.apply_group(self.table)
        runner = ActionRunner.over(delta_catalog, run.options.preflight, restores=run.options.restores)
        line = Orchestrator(delta_catalog, runner, run.planner, run.validator)
        try:
            known = map(run.bound, run.pointing_at(tables))
            with run.applying.by(runner):
                ran = line.sync_tables(map(run.bound, tables), known=known)
        except UnsafePlanError as error:
            _note_data(request, error.violations)
            _fail(self.table, request, delta_catalog, plan, error.violations)
        except DeltaSchemaError as error:
            broken(request, error, statements=len(error.done) if isinstance(error, ApplyError) else 0)
        _name_restore_point(self.table, request, ran.plan)
        if ran.statements:
            print(sql_text(ran.statements, delta_catalog.capabilities.emulates))  # noqa: T201 - captured, shown by pytest -rP
        outcome = facts.APPLIED if ran.statements else facts.IN_SYNC
        facts.record(request.node, outcome=outcome, statements=len(ran.statements))


def _require_valid(table: Table, request: pytest.FixtureRequest) -> None:
    violations = request.config.stash[RUN].violations(table)
    if violations:
        facts.record(request.node, outcome=facts.BLOCKED, summary=violations[0])
        more = "".join(f"\n{each}" for each in violations[1:])
        place = f"declared at {relative(table.origin, request.config.rootpath)}"
        raise ContractFailure(str(violations[0]), f"{more}\n\n{place}".strip("\n"))


def _plan(table: Table, request: pytest.FixtureRequest, catalog: Catalog) -> TablePlan:
    run = request.config.stash[RUN]
    plan = run.plan(table, catalog)
    notes = list(map(str, plan.notes))
    if run.options.mode == APPLY:
        notes += [f"{headline(each)}, in what the contract only reports" for each in plan.mismatches]
    facts.record(request.node, backend=catalog.name, note="; ".join(notes))
    return plan


def _asked(
    table: Table, request: pytest.FixtureRequest, catalog: Catalog, plan: TablePlan, how: Preflight
) -> tuple[Diagnostic, ...]:
    """Ask the data what an apply would ask it."""
    action = _own(table, request, plan)
    if isinstance(action, CreateTable):
        return ()
    try:
        violations = preflight(action, catalog, how)
    except DeltaSchemaError as error:
        broken(request, error)
    if violations:
        _note_data(request, violations)
    else:
        facts.record(request.node, preflight="passed")
    return violations


def _name_restore_point(table: Table, request: pytest.FixtureRequest, plan: TablePlan) -> None:
    """Leave the version before the apply in the report, and the way back to it in the output."""
    name = request.config.stash[RUN].bound(table).name
    before = next((action.observed.version for action in plan.align_tables if action.table == name), None)
    if before is not None:
        facts.record(request.node, version=before)
        print(f"  -- way back: {restore_table(name, before)}\n")  # noqa: T201 - captured, shown by pytest -rP


def _note_data(request: pytest.FixtureRequest, violations: Sequence[Diagnostic]) -> None:
    """Leave what the data forbids in the report, one fact each."""
    for violation in violations:
        if violation.rule in DATA_RULES:
            facts.record(request.node, preflight=violation)


def broken(request: pytest.FixtureRequest, error: DeltaSchemaError, **more: object) -> NoReturn:
    """Report what a catalog said when it failed."""
    head, _, body = str(error).partition("\n")
    facts.record(request.node, outcome=facts.FAILED, summary=head, **more)
    raise ContractFailure(head, body) from error


def _own(table: Table, request: pytest.FixtureRequest, plan: TablePlan) -> CreateTable | AlignTable:
    name = request.config.stash[RUN].bound(table).name
    return next(action for action in plan.actions if action.table == name)


def _mismatched(table: Table, request: pytest.FixtureRequest, catalog: Catalog, action: AlignTable) -> NoReturn:
    """Fail for drift that no apply changes."""
    head = headline(action)
    facts.record(request.node, outcome=facts.DRIFTED, changes=len(change_lines(action)), summary=head)
    place = relative(table.origin, request.config.rootpath)
    raise ContractFailure(head, mismatch_text(action, declared_at=place, notes=notes_of_origin(action, catalog)))


def _fail(
    table: Table, request: pytest.FixtureRequest, catalog: Catalog, plan: TablePlan, violations: Sequence[Diagnostic]
) -> NoReturn:
    action = _own(table, request, plan)
    own = sorted(violations, key=lambda violation: violation.table != str(action.table))
    head, lines = headline(action), change_lines(action)
    if own:
        head = f"{head}; blocked: {own[0].message}"
    facts.record(
        request.node,
        outcome=facts.BLOCKED if own else facts.DRIFTED,
        changes=len(lines),
        risk=max(line.risk for line in lines).label,
        summary=head,
    )
    body = plan_text(
        action,
        declared_at=relative(table.origin, request.config.rootpath),
        emulated=catalog.capabilities.emulates,
        violations=own,
        notes=[
            *plan.notes,
            *notes_of_origin(action, catalog),
            *notes_of_entry(action.table, request.config.stash[RUN].state(catalog)),
        ],
        followers=[each for each in plan.actions if each is not action],
        mismatches=plan.mismatches,
    )
    raise ContractFailure(head, body)
