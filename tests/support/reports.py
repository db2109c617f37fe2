"""Reports of runs for tests of report formats: small ones, and one of hostile texts."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.run_report import CheckReport, Consents, Run, RunReport, TableReport

FILE = "shop/models.py"


def _report(name: str, status: Status, last: Any, lines: tuple[int, int], **parts: Any) -> TableReport:
    """Return the report on a table of ``dev.silver``, and on the outcome of its check for drift."""
    full_name = f"dev.silver.{name}"
    return TableReport(
        **{
            "name": full_name,
            "stored_as": f"ci.silver.{name}",
            "mode": "drift",
            "backend": "memory",
            "status": status,
            "location": Location(FILE, lines[0], 1, lines[1]),
            "checks": (CheckReport(node_id=f"{FILE}::{full_name}::drift", check="drift", outcome=last),),
            **parts,
        }
    )


def _note(message: str) -> Diagnostic:
    return Diagnostic(severity="note", table="ci.silver.orders", message=message)


DRIFTED = _report(
    "orders",
    Status.DRIFTED,
    "failed",
    (10, 20),
    checks=(
        CheckReport(node_id=f"{FILE}::dev.silver.orders::rules", check="rules", outcome="passed"),
        CheckReport(node_id=f"{FILE}::dev.silver.orders::drift", check="drift", outcome="failed"),
    ),
    observed_version=7,
    changes=(
        TableChange(
            table="ci.silver.orders",
            marker="+",
            path="columns.note",
            before="(absent)",
            after="string 'free text'",
            risk="metadata",
            code="DD102",
            location=Location(FILE, 14, 9, 14),
        ),
        TableChange(
            table="ci.silver.orders",
            marker="~",
            path="columns.amount.type",
            before="int",
            after="bigint",
            risk="feature",
            loss="readers without type widening",
            code="DD104",
            location=Location(FILE, 13, 9, 13),
        ),
    ),
    notes=(_note("the check is written in another form"),),
    background=(_note("column legacy was added by version 5 (WRITE)"),),
    statements=(
        OutcomeStatement(sql="ALTER TABLE `ci`.`silver`.`orders` ADD COLUMNS (`note` STRING)", kind="add columns"),
        OutcomeStatement(
            sql="ALTER TABLE `ci`.`silver`.`orders` ALTER COLUMN `amount` TYPE BIGINT",
            kind="change types",
            risk="feature",
        ),
    ),
)
_AT_CUSTOMERS = Location(FILE, 30, 1, 40)
_DROPPED: dict[str, Any] = {"table": "ci.silver.customers", "path": "columns.legacy", "location": _AT_CUSTOMERS}
_DROP = "ALTER TABLE `ci`.`silver`.`customers` DROP COLUMN `legacy`"
BLOCKED = _report(
    "customers",
    Status.BLOCKED,
    "failed",
    (30, 40),
    observed_version=3,
    changes=(TableChange(**_DROPPED, marker="-", before="string", after="(absent)", risk="destructive", code="DD103"),),
    diagnostics=(
        Diagnostic(
            **_DROPPED,
            code="DS201",
            rule="ColumnDropWithoutConsent",
            message="column legacy would be dropped",
            remedy="consent with allow = ['drop-column dev.silver.customers.legacy']",
        ),
    ),
    statements=(OutcomeStatement(sql=_DROP, kind="drop columns", risk="destructive"),),
    data_checks=DataChecks.PASSED,
)
_DAMAGE = "the log ends in the middle of a line"
_DAMAGED = Diagnostic(table="ci.silver.broken", message=_DAMAGE, location=Location(FILE, 50))
UNREADABLE = _report("broken", Status.UNREADABLE, "error", (50, 52), diagnostics=(_DAMAGED,))
IN_SYNC = _report("regions", Status.IN_SYNC, "passed", (60, 62), observed_version=0)
UNJUDGED = replace(IN_SYNC, status=Status.UNJUDGED)

RUN = Run(
    mode="drift",
    backend="memory",
    bindings=(("dev.silver", "ci.silver"),),
    commit="0123456789abcdef0123456789abcdef01234567",
    created="2026-01-31T12:00:00Z",
    seconds=1.5,
    tool_version="0.1.0",
)

UNMANAGED = Diagnostic(
    table="dev.silver", message="holds 1 table that no model declares: ci.silver.tmp", location=Location(FILE, 10)
)


def sample_report(*tables: TableReport, **parts: Any) -> RunReport:
    """Return a report with every status that matters; other tables and parts replace its own."""
    default: dict[str, Any] = {
        "runs": (RUN,),
        "tables": tables or (UNREADABLE, BLOCKED, DRIFTED, IN_SYNC),
        "unmanaged": (UNMANAGED,),
        "consents": Consents(unused=("drop-column dev.silver.orders.old",)),
    }
    return RunReport(**{**default, **parts})


HIDDEN_CHARACTERS = "\x00\x1b\u200b\u202e\u2066\ud800"

TEXT = f"""<script>hacked=1</script><img src=x onerror=hacked=1>"'`><!-- </details></pre>]]>&lt;{HIDDEN_CHARACTERS}\n"""
"""A text that adds elements, ends attributes and comments, and hides what follows, wherever it is not escaped; it has no dots, which part names."""

_FIXED = frozenset(
    {"code", "mode", "status", "outcome", "result", "risk", "marker", "severity", "data_checks", "type", "version"}
)
"""What has a closed list of values, and codes, which are links."""


def hostile_report(report: RunReport) -> RunReport:
    """Return a report with :data:`TEXT` at the end of each text."""
    hostile: RunReport = _hostile(report)
    return hostile


def _hostile(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return f"{value}{TEXT}" if value else ""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return type(value)(**_parts(parts))
    if hasattr(value, "_asdict"):
        return type(value)(**_parts(value._asdict()))
    if isinstance(value, dict):
        return _parts(value)
    return type(value)(map(_hostile, value)) if isinstance(value, (list, tuple)) else value


def _parts(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in _FIXED else _hostile(value) for name, value in values.items()}
