"""Tables as a gate knows them before it changes anything: compared with their models, or refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.bound_model import BoundModel
    from pytest_delta_schema.engine.outcomes.outcome import OutcomeStatement, Status, TableChange
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.state.states import TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedTable:
    """A table that is not compared."""

    model: BoundModel
    status: Status
    """``blocked`` if the model breaks a rule, ``unreadable`` if the table cannot be read."""
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTable:
    """A model compared with what was read of its table."""

    model: BoundModel
    desired: TableState
    observed: TableState
    plan: TablePlan
    """The plan of the table, with the foreign keys of other tables that depend on its keys."""
    own: CreateTable | AlignTable | None = None
    """The action of the plan on the table itself, if any."""
    changes: tuple[TableChange, ...] = ()
    """Every difference; those of the table itself come first."""
    statements: tuple[OutcomeStatement, ...] = ()
    """The SQL of ``own``."""
    notes: tuple[Diagnostic, ...] = ()
    """Remarks that do not fail a check."""
    entry_notes: tuple[Diagnostic, ...] = ()
    """How the catalog entry of a table with changes compares to its log."""
