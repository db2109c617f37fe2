"""Predicts what Delta does with an UPDATE from the types that it assigns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import APPEND_ONLY, is_on
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.state.types import find
from pytest_delta_schema.write_check import schema_findings
from pytest_delta_schema.write_check.statements import statement_findings
from pytest_delta_schema.write_check.statements.assignments import Assignment, unresolved_fields, updated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.collector import Collector


def update_faults(given: Sequence[ColumnState], state: TableState, collector: Collector) -> None:
    """Collect the findings and notes of an UPDATE that sets columns to values of the given types."""
    assignments = [Assignment(ColumnPath.parse(column.name), column.data_type, is_constant=True) for column in given]
    findings = collector.findings
    unknown = [assignment.path for assignment in assignments if find(state.columns, assignment.path) is None]
    known = NameSet.of(state.columns)
    columns = [str(path) for path in unknown if path.root not in known]
    if columns:
        findings.append(statement_findings.unresolved_columns("UPDATE", columns, "UNRESOLVED_COLUMN"))
    findings.extend(unresolved_fields("UPDATE", [path for path in unknown if path.root in known], state.columns))
    if findings:
        return
    updated(assignments, state.columns, evolves=False, collector=collector)
    findings.sort(key=lambda finding: finding.condition == schema_findings.NO_CAST)
    delete_faults(state, collector, statement="UPDATE")


def delete_faults(state: TableState, collector: Collector, *, statement: str = "DELETE") -> None:
    """Collect the finding of a DELETE."""
    if is_on(APPEND_ONLY, state.table_properties):
        collector.findings.append(statement_findings.rows_removed(statement))
