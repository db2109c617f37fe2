"""Align existing tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import Diagnostic, UnsafePlanError
from pytest_delta_schema.execute.preflight import Preflight, preflight
from pytest_delta_schema.execute.protocols.capabilities import require_able
from pytest_delta_schema.execute.statement_runner import CONVERTED, TableRun
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.state.conversion import DELTA

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols.catalog import DeltaDDL
    from pytest_delta_schema.execute.protocols.version import Absence
    from pytest_delta_schema.plan.actions import AlignTable


class AlignExecutor:
    """Starts alignments: the data checks run first, then one statement for each kind of change.

    Args:
        ddl: Where statements are run.
        preflight: How data checks run.
        restores: Whether a table whose alignment fails midway is restored, unless somebody else has committed since.
    """

    def __init__(self, ddl: DeltaDDL, *, preflight: Preflight | None = None, restores: bool = False) -> None:
        self._ddl = ddl
        self._restores = restores
        self._preflight = preflight or Preflight()

    def start(self, action: AlignTable) -> TableRun:
        """Return the run of ``action``, of which nothing has run yet.

        Raises:
            UnsafePlanError: If the catalog cannot run all statements, or data checks fail; nothing was changed.
            ApplyError: If the table has become absent or unreadable since the plan was made; nothing was changed.
        """
        require_able(action, self._ddl)
        violations = preflight(action, self._ddl, self._preflight)
        if violations:
            raise UnsafePlanError(violations)
        conversion = action.one(ConvertTable)
        if conversion is not None:
            is_delta = conversion.source.provider == DELTA
            return TableRun(self._ddl, action, version=action.observed.version if is_delta else CONVERTED)
        version = self._ddl.version(action.table)
        if not isinstance(version, int):
            raise TableRun(self._ddl, action, version=None).failed(_changed_since(version))
        return TableRun(self._ddl, action, version=version, restores=self._restores)


def _changed_since(version: Absence | Diagnostic) -> str:
    """Explain why a table that could be read when the plan was made cannot be changed now."""
    if isinstance(version, Diagnostic):
        return f"{version.message}; {version.remedy}"
    return "the table does not exist any more; find out who dropped it since the plan was made"
