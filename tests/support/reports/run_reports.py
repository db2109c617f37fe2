"""Reports of runs for the tests of report formats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.run_report import CheckReport, Consents, Run, RunReport, TableReport

FILE = "shop/models.py"

DRIFTED = TableReport(
    name="dev.silver.orders",
    stored_as="ci.silver.orders",
    mode="drift",
    backend="memory",
    status=Status.DRIFTED,
    location=Location(FILE, 10, 1, 20),
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
    notes=(Diagnostic(severity="note", table="ci.silver.orders", message="the check is written in another form"),),
    background=(
        Diagnostic(severity="note", table="ci.silver.orders", message="column legacy was added by version 5 (WRITE)"),
    ),
    statements=(
        OutcomeStatement(sql="ALTER TABLE `ci`.`silver`.`orders` ADD COLUMNS (`note` STRING)", kind="add columns"),
        OutcomeStatement(
            sql="ALTER TABLE `ci`.`silver`.`orders` ALTER COLUMN `amount` TYPE BIGINT",
            kind="change types",
            risk="feature",
        ),
    ),
)

BLOCKED = TableReport(
    name="dev.silver.customers",
    stored_as="ci.silver.customers",
    mode="drift",
    backend="memory",
    status=Status.BLOCKED,
    location=Location(FILE, 30, 1, 40),
    checks=(CheckReport(node_id=f"{FILE}::dev.silver.customers::drift", check="drift", outcome="failed"),),
    observed_version=3,
    changes=(
        TableChange(
            table="ci.silver.customers",
            marker="-",
            path="columns.legacy",
            before="string",
            after="(absent)",
            risk="destructive",
            code="DD103",
            location=Location(FILE, 30, 1, 40),
        ),
    ),
    diagnostics=(
        Diagnostic(
            code="DS201",
            rule="ColumnDropWithoutConsent",
            table="ci.silver.customers",
            path="columns.legacy",
            message="column legacy would be dropped",
            remedy="consent with allow = ['drop-column dev.silver.customers.legacy']",
            location=Location(FILE, 30, 1, 40),
        ),
    ),
    statements=(
        OutcomeStatement(
            sql="ALTER TABLE `ci`.`silver`.`customers` DROP COLUMN `legacy`", kind="drop columns", risk="destructive"
        ),
    ),
    data_checks=DataChecks.PASSED,
)

UNREADABLE = TableReport(
    name="dev.silver.broken",
    stored_as="ci.silver.broken",
    mode="drift",
    backend="memory",
    status=Status.UNREADABLE,
    location=Location(FILE, 50, 1, 52),
    checks=(CheckReport(node_id=f"{FILE}::dev.silver.broken::drift", check="drift", outcome="error"),),
    diagnostics=(
        Diagnostic(
            table="ci.silver.broken", message="the log ends in the middle of a line", location=Location(FILE, 50)
        ),
    ),
)

IN_SYNC = TableReport(
    name="dev.silver.regions",
    stored_as="ci.silver.regions",
    mode="drift",
    backend="memory",
    status=Status.IN_SYNC,
    location=Location(FILE, 60, 1, 62),
    checks=(CheckReport(node_id=f"{FILE}::dev.silver.regions::drift", check="drift", outcome="passed"),),
    observed_version=0,
)
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
    """Return a report with every status that matters; other tables and parts replace its own.

    Args:
        *tables: The tables instead of its own.
        **parts: Other arguments of the report.
    """
    default: dict[str, Any] = {
        "runs": (RUN,),
        "tables": tables or (UNREADABLE, BLOCKED, DRIFTED, IN_SYNC),
        "unmanaged": (UNMANAGED,),
        "consents": Consents(unused=("drop-column dev.silver.orders.old",)),
    }
    return RunReport(**{**default, **parts})
