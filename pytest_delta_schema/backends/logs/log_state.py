"""Read the state of a table from the files of its Delta log, without a JVM and without parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.logs.log_damage import check_log
from pytest_delta_schema.backends.logs.log_findings import CheckedLog, Damage, Doubt
from pytest_delta_schema.backends.logs.newest_version import newest_version
from pytest_delta_schema.backends.problems import is_damaged, problem
from pytest_delta_schema.delta.logs.well_formed import MalformedLog
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable

if TYPE_CHECKING:
    from pytest_delta_schema.backends.logs.log_files import LocalFiles
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState


def state_of_log(table: QualifiedName, log: LocalFiles) -> TableState | Diagnostic:
    """Return the state of a table from the commits and the checksum of its log, or why they do not show it.

    The log is read again before a problem is reported, because writers change it meanwhile.

    Args:
        table: The table, which its catalog lists.
        log: The files of its log, such as a :class:`LocalLog`.
    """
    try:
        checked = check_log(log)
    except FileNotFoundError:
        fact = f"its Delta log is gone ({log.path})"
        return problem(DamagedTable, table, fact, "restore it from a backup, or drop the table from its catalog")
    if isinstance(checked, Damage):
        return checked.of(table)
    if isinstance(checked, Doubt):
        return problem(UnreadableTable, table, f"its Delta log may be damaged ({checked.fact})", checked.remedy)
    facts = newest_version(checked) if isinstance(checked, CheckedLog) else None
    if facts is None:
        fact = "its Delta log changes, or only a checkpoint in parquet shows its columns"
        return problem(UnreadableTable, table, fact, "read it through Spark, or write to it once more")
    try:
        return facts.well_formed().state(table)
    except (MalformedLog, KeyError, TypeError, ValueError) as error:
        return is_damaged(table, error)
